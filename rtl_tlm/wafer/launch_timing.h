// How long a launch descriptor takes on a wafer.
//
// Vector work: every core of the region executes (product of the extents / longest extent) vector operations of the
// longest extent's length; the time is the larger of what the vector unit and what the SRAM ports need. Passes of more
// tokens than a core holds at once (descriptor::token_tile) go in rounds: the tokens of a round are the longest a
// vector operation along tokens can be. Weights below 16 bits are expanded once per round, then multiplied for every
// token; those of experts as often as the launch says (launch_arguments::expert_matrices). Communication: the closed
// forms of fabric/formula.h with the best known pattern for the size. With wafer_config::kernels, kernels take what it
// says. The rounds of a pass stream through a collective one behind the other: each but the first costs one more gap
// between dependent vector operations. Not modelled: contention between lines, overlap of communication with
// computation.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "rtl_tlm/wafer/descriptor.h"
#include "rtl_tlm/wafer/wafer_config.h"

namespace scribeline::wafer {

struct descriptor_cost {
  double cycles = 0;
  bound_by binds = bound_by::compute;
  double macs = 0;        // element multiply-accumulates, all cores
  double sram_bytes = 0;  // all cores
  double word_hops = 0;   // 32-bit words times hops, all lines
};

// Whether the launch unit of this wafer takes the descriptor: known codes, at least one of everything that is
// multiplied or divided by, no line or region larger than the wafer.
bool can_run(const descriptor& d, const wafer_config& chip);

// Cycles of a reduce, broadcast, all_reduce or transfer of `words` 32-bit words along a line by closed form: `line`
// cores, `distance` hops apart, or hops for a transfer.
double closed_form_cycles(const fabric::fabric_timing& t, opcode op, std::int64_t words, std::int64_t line,
                          std::int64_t distance = 1);

class launch_timing {
 public:
  explicit launch_timing(const wafer_config& config) : config_(config) {}

  // By closed form.
  descriptor_cost cost_of(const descriptor& d, const launch_arguments& arguments);

  // Of the `count` descriptors of a kernel, by simulation if the wafer has one. Events are those of the closed form.
  void costs_of_kernel(const descriptor* first, std::size_t count, const launch_arguments& arguments,
                       descriptor_cost* costs);

 private:
  descriptor_cost vector_cost(const descriptor& d, const scaled_extents& scaled) const;
  descriptor_cost communication_cost(const descriptor& d, const scaled_extents& scaled);
  double collective_cycles(const descriptor& d, std::int64_t words);

  wafer_config config_;
  std::unordered_map<std::uint64_t, double> known_collectives_;  // looked up, never iterated
  std::vector<kernel_part> parts_;                               // of the kernel that is asked for
};

}  // namespace scribeline::wafer
