// How long a launch descriptor takes on a wafer.
//
// Vector work: every core of the region executes (product of the extents / longest extent) vector operations of the
// longest extent's length; the time is the larger of what the vector unit and what the SRAM ports need. Passes of more
// tokens than a core holds at once (descriptor::token_tile) go in rounds: the tokens of a round are the longest a
// vector operation along tokens can be. Weights below 16 bits are expanded once per round, then multiplied for every
// token; those of experts as often as the launch says (launch_arguments::expert_matrices). Communication: the closed
// forms of fabric/formula.h with the best known pattern for the size, or what wafer_config::collectives says they take.
// The rounds of a pass stream through a collective one behind the other: each but the first costs one more gap between
// dependent vector operations. Not modelled: contention between lines, overlap of communication with computation.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "rtl_tlm/wafer/descriptor.h"
#include "rtl_tlm/wafer/wafer_config.h"

namespace scribeline::wafer {

enum class bound_by : std::uint8_t { fabric, compute, sram };

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

// Cycles of a collective by closed form. Arguments as collective_timing::cycles.
double closed_form_cycles(const fabric::fabric_timing& t, opcode op, std::int64_t words, std::int64_t line);

class launch_timing {
 public:
  explicit launch_timing(const wafer_config& config) : config_(config) {}

  descriptor_cost cost_of(const descriptor& d, const launch_arguments& arguments);

  // The only way the arguments enter the cost of this descriptor; equal extents, equal costs.
  struct scaled_extents {
    double tokens, expert_load, positions;
    double pairs;     // expert_load, but of all groups together: what events are counted by
    double matrices;  // how often packed expert weights are expanded
    friend bool operator==(const scaled_extents& a, const scaled_extents& b) {
      return a.tokens == b.tokens && a.expert_load == b.expert_load && a.positions == b.positions &&
             a.pairs == b.pairs && a.matrices == b.matrices;
    }
  };
  static scaled_extents extents_of(const descriptor& d, const launch_arguments& arguments);

 private:
  descriptor_cost vector_cost(const descriptor& d, const scaled_extents& scaled) const;
  descriptor_cost communication_cost(const descriptor& d, const scaled_extents& scaled);
  double collective_cycles(opcode op, std::int64_t words, std::int64_t line);

  wafer_config config_;
  std::unordered_map<std::uint64_t, double> known_collectives_;  // looked up, never iterated
};

}  // namespace scribeline::wafer
