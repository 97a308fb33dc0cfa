// What one core and its router do at this moment of a wavelet run, for waves and debuggers.
//
// The engine is advanced a cycle at a time (wavelet_engine::advance_to) and looked at in between: what is seen is the
// state before cycle now(), which decides everything that happens in it. Runs that nobody looks at cost nothing. Queues
// that were merged into others are seen as empty: use run_options::merge_wires = false.
#pragma once

#include <array>
#include <string>

#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"

namespace scribeline::fabric {

struct core_view {
  std::array<int, ports> queued{};  // words in the router's queues by the side they came from, all colors
  int to_core = 0;                  // words in the core's input queues
  bool steps = false;               // the datapath takes a step of a vector operation
  std::string task;          // that the main thread runs, else one whose operation is on a microthread; else "idle"
  std::string stall;         // why the core does nothing: "no data of color 5"; "." when it does something
  std::string router_stall;  // of the first color that cannot leave: "color 5 from west: no room"; "." if none
};

// Throws std::out_of_range outside the program.
core_view look_at(const wavelet_engine& engine, coordinate core);

}  // namespace scribeline::fabric
