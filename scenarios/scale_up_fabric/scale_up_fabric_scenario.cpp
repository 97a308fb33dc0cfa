#include "scenarios/scale_up_fabric/scale_up_fabric_scenario.h"

#include <fmt/format.h>

#include "rtl_tlm/base/error.h"
#include "scenarios/scale_up_fabric/patterns.h"

namespace scribeline::scenarios {
namespace {

using pattern_runner = bool (*)(network_run&);

pattern_runner runner_of(traffic_pattern p) {
  switch (p) {
    case traffic_pattern::ping:
      return run_ping;
    case traffic_pattern::line_rate:
      return run_line_rate;
    case traffic_pattern::incast:
      return run_incast;
    case traffic_pattern::credit_sweep:
      return run_credit_sweep;
    case traffic_pattern::bit_error_sweep:
      return run_bit_error_sweep;
    case traffic_pattern::all_reduce:
      return run_all_reduce;
    case traffic_pattern::all_to_all:
      break;
  }
  return run_all_to_all;
}

// Long enough that the cost of a PDU in a train is small beside its own frame's, short beside what a rank sends to
// another.
constexpr int burst_train_pdus = 32;

bool is_sweep(traffic_pattern p) {
  return p == traffic_pattern::credit_sweep || p == traffic_pattern::bit_error_sweep;
}

}  // namespace

std::string scale_up_fabric_scenario::summary() const {
  return "Runs one traffic pattern on accelerators behind scale-up Ethernet switches, frame by frame with credits and "
         "retry, and tells what it reaches beside closed forms and bounds.";
}

void scale_up_fabric_scenario::run(harness::run_context& context) {
  auto& errors = settings_.machine.link.errors;
  errors.seed = static_cast<std::uint64_t>(context.settings.seed);
  if (context.settings.fidelity == harness::fidelity::burst) {
    if (errors.bit_error_rate > 0)
      throw base::bad_input(fmt::format(
          "link.bit_error_rate = {}: trains of frames have no errors of single ones; use --fidelity packet, or 0",
          errors.bit_error_rate));
    settings_.machine.endpoint.train_pdus = burst_train_pdus;
  }
  const std::string problem = settings_.machine.problem();
  if (!problem.empty()) throw base::bad_input(in_keys(problem));
  if (is_sweep(settings_.traffic.pattern) && context.settings.waves != harness::waves::off)
    throw base::bad_input(
        "trace.waves: a sweep has many links side by side; waves show one network, use a pattern "
        "that is no sweep");
  network_run run(settings_, context);
  runner_of(settings_.traffic.pattern)(run);
}

}  // namespace scribeline::scenarios
