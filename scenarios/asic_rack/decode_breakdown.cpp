#include "scenarios/asic_rack/decode_breakdown.h"

namespace scribeline::scenarios {

namespace {

enum part : std::size_t { launch, attention, products, elementwise, on_chip, collectives, waits, hops, firmware };

part part_of(accelerator::opcode op) {
  if (op == accelerator::opcode::attention) return attention;
  return op == accelerator::opcode::elementwise ? elementwise : products;
}

}  // namespace

pass_times decode_pass_times(const platforms::asic_rack& rack) {
  pass_times us{};
  for (std::size_t s = 0; s < rack.plan().stages.size(); ++s) {
    const auto& decode = rack.meter(s).decode;
    if (decode.passes == 0) continue;
    const double per_pass = 1e-3 / static_cast<double>(decode.passes);  // of nanoseconds
    const auto& descriptors = rack.plan().stages[s].program.descriptors;
    double attributed_ns = 0;
    for (const auto& d : descriptors) {
      const auto& cost = decode.operations[d.operation];
      us[launch] += cost.start_ns * per_pass;
      us[part_of(d.op)] += cost.work_ns * per_pass;
      us[on_chip] += cost.on_chip_ns * per_pass;
      us[collectives] += cost.network_ns * per_pass;
      us[waits] += cost.wait_ns * per_pass;
      attributed_ns += cost.total_ns();
    }
    us[waits] += static_cast<double>(decode.waiting_ps) * per_pass / 1000;
    // Launches end on a picosecond; what rounding leaves is the firmware's.
    const double rounding_ns = static_cast<double>(decode.launch_ps) / 1000 - attributed_ns;
    us[firmware] += (static_cast<double>(decode.firmware_ps) / 1000 + rounding_ns) * per_pass;
  }
  const auto passes = static_cast<double>(rack.host.decode_passes());
  if (passes > 0) {
    us[hops] += static_cast<double>(rack.host.decode_hops_ps()) / passes * 1e-6;
    us[firmware] += static_cast<double>(rack.host.decode_steps_ps()) / passes * 1e-6;
  }
  return us;
}

}  // namespace scribeline::scenarios
