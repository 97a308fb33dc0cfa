// Where the cycles of a kernel come from when it is simulated instead of computed by closed form.
//
// A kernel is a run of vector descriptors and the communication behind them: what cores compute, then what they do
// with the result together. It begins when the slowest core has ended the one before.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rtl_tlm/wafer/descriptor.h"

namespace scribeline::wafer {

// The only way the launch arguments enter the cost of a descriptor; equal extents, equal costs.
struct scaled_extents {
  double tokens, expert_load, positions;
  double pairs;     // expert_load, but of all groups together: what events are counted by
  double matrices;  // how often packed expert weights are expanded
  friend bool operator==(const scaled_extents& a, const scaled_extents& b) {
    return a.tokens == b.tokens && a.expert_load == b.expert_load && a.positions == b.positions && a.pairs == b.pairs &&
           a.matrices == b.matrices;
  }
};
scaled_extents extents_of(const descriptor& d, const launch_arguments& arguments);

// Rounds in which the tokens of a pass go through a core, and the tokens of a full one.
double rounds_of(const descriptor& d, double tokens);
double tokens_of_round(const descriptor& d, double tokens);

// 32-bit words of a communication on each line. At least one.
double words_of(const descriptor& d, const scaled_extents& scaled);

enum class bound_by : std::uint8_t { fabric, compute, sram };

// What one descriptor adds to the time of its kernel.
struct kernel_part {
  descriptor what;
  scaled_extents extents{};
  double cycles = 0;
  bound_by binds = bound_by::compute;
};

// Descriptors from `first` on that are one kernel, of `count` that are left: at least 1.
std::size_t kernel_length(const descriptor* first, std::size_t count);

class kernel_timing {
 public:
  // Fills in cycles and binds of the `count` parts of a kernel, which come with their closed forms. Equal calls give
  // equal answers.
  virtual void time(kernel_part* parts, std::size_t count) = 0;

 protected:
  ~kernel_timing() = default;
};

}  // namespace scribeline::wafer
