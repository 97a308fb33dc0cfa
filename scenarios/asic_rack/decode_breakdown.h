// The mean decode pass of a rack, host to host, cut into parts that add up to it.
#pragma once

#include <array>
#include <cstdint>

#include "platforms/asic_rack/asic_rack.h"

namespace scribeline::scenarios {

struct pass_part {
  const char* name;   // in metrics
  const char* label;  // in tables
};
inline constexpr std::array<pass_part, 9> pass_parts = {{{"launch", "launch: starts of operations"},
                                                         {"attention", "attention and recurrences"},
                                                         {"products", "products with weights (GEMV)"},
                                                         {"elementwise", "elementwise"},
                                                         {"on_chip", "on-chip network latency"},
                                                         {"collectives", "collectives between ranks"},
                                                         {"waits", "waits: busiest rank, busy stage"},
                                                         {"hops", "hops between stages"},
                                                         {"firmware", "firmware and host step"}}};

// Microseconds by part, all stages together.
using pass_times = std::array<double, pass_parts.size()>;
pass_times decode_pass_times(const platforms::asic_rack& rack);

}  // namespace scribeline::scenarios
