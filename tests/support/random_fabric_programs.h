// Random fabric programs for comparisons of engines: the same seed gives the same program on every machine.
#pragma once

#include <cstdint>
#include <string>

#include "rtl_tlm/fabric/chip.h"
#include "rtl_tlm/fabric/program/program.h"

namespace scribeline::tests {

class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // first..last, both included.
  int between(int first, int last) {
    return first + static_cast<int>(next() % static_cast<std::uint64_t>(last - first + 1));
  }
  bool chance(int percent) { return between(1, 100) <= percent; }
  // Powers of two and what lies between them are equally likely.
  int log_between(int first, int last);

 private:
  std::uint64_t state_;
};

struct random_case {
  fabric::program code;
  fabric::fabric_chip chip;
  std::string pattern;
  bool contended = false;  // streams may meet at a link, a ramp or a datapath, or wait for a late reader
  int stages = 1;          // operations that depend on each other, at most
};

// Sizes 4x4 to 32x32, 1 to 4096 words; sizes are cut so that words times hops stay below the budget.
random_case make_random_case(std::uint64_t seed, std::int64_t word_hops);

}  // namespace scribeline::tests
