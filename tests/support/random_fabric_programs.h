// Random fabric programs for comparisons of engines: the same seed gives the same program on every machine.
#pragma once

#include <cstdint>
#include <string>

#include "rtl_tlm/fabric/chip.h"
#include "rtl_tlm/fabric/program/program.h"

namespace scribeline::tests {

struct random_case {
  fabric::program code;
  fabric::fabric_chip chip;
  std::string pattern;
  bool contended = false;  // streams may meet at a link, a ramp or a datapath, or wait for a late reader
  int stages = 1;          // operations that depend on each other, at most
};

// Sizes 4x4 to 32x32, 1 to 4096 words; sizes are cut so that words times hops stay below the budget.
random_case make_random_case(std::uint64_t seed, std::int64_t word_hops);

// Messages stay in their row, but for those within the columns first..first + count - 1. None: they go everywhere.
struct crossing_columns {
  int first = 0;
  int count = 0;
};

// Messages between random cores, unicast and multicast, of 1 to `longest` elements, which share links. Every receiver
// reads on a microthread of its own, so it always finishes. Rules are of single cores.
fabric::program random_messages(std::uint64_t seed, int columns, int rows, int messages, int longest,
                                const crossing_columns& crossing = {});

}  // namespace scribeline::tests
