#include "scenarios/harness/run_settings.h"

namespace scribeline::harness {
namespace {

std::string name_of(fidelity level) {
  switch (level) {
    case fidelity::formula:
      return "formula";
    case fidelity::burst:
      return "burst";
    case fidelity::packet:
      return "packet";
    default:
      return "wavelet";
  }
}

}  // namespace

trace::vcd_options wave_options(const run_settings& settings) {
  trace::vcd_options options;
  if (settings.waves == waves::window) {
    options.window_start = sc_core::sc_time(settings.window_start_us, sc_core::SC_US);
    options.window_end = sc_core::sc_time(settings.window_end_us, sc_core::SC_US);
  }
  return options;
}

void declare_run_keys(key_table& keys, run_settings& settings, const std::vector<fidelity>& offered) {
  std::vector<std::pair<std::string, fidelity>> levels;
  for (const fidelity level : offered)
    levels.emplace_back(name_of(level), level);
  settings.fidelity = offered.at(0);

  keys.add("run.seed", settings.seed).range(0, 1e15).meaning("seed of everything random; also --seed");
  keys.add_choice("run.fidelity", settings.fidelity, levels)
      .meaning("how closely the machine is simulated; also --fidelity");
  keys.add_choice<waves>("trace.waves", settings.waves,
                         {{"off", waves::off}, {"on", waves::on}, {"window", waves::window}})
      .observes_only()
      .meaning("write waves.vcd, waves.gtkw and timeline.json; also --waves");

  const auto windowed = [&settings] { return settings.waves == waves::window; };
  const double longest = 1e12;  // the kernel counts picoseconds in 64 bits
  keys.add("trace.window_start_us", settings.window_start_us)
      .unit("us")
      .range(0, longest)
      .observes_only()
      .used_when(windowed, "trace.waves = \"window\"")
      .meaning("simulated time at which waves begin");
  keys.add("trace.window_end_us", settings.window_end_us)
      .unit("us")
      .range(0, longest)
      .observes_only()
      .used_when(windowed, "trace.waves = \"window\"")
      .must([&settings] { return settings.window_end_us > settings.window_start_us; },
            "be later than trace.window_start_us")
      .meaning("simulated time at which waves end");
}

}  // namespace scribeline::harness
