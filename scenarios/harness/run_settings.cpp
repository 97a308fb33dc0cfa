#include "scenarios/harness/run_settings.h"

#include <limits>

namespace scribeline::harness {
namespace {

std::string name_of(fidelity level) {
  switch (level) {
    case fidelity::formula:
      return "formula";
    case fidelity::burst:
      return "burst";
    default:
      return "wavelet";
  }
}

}  // namespace

void declare_run_keys(key_table& keys, run_settings& settings, const std::vector<fidelity>& offered) {
  std::vector<std::pair<std::string, fidelity>> levels;
  for (const fidelity level : offered)
    levels.emplace_back(name_of(level), level);
  settings.fidelity = offered.at(0);

  keys.add("run.seed", settings.seed).range(0, 9007199254740992.0).meaning("seed of everything random; also --seed");
  keys.add_choice("run.fidelity", settings.fidelity, levels)
      .meaning("how the wafer fabric is simulated; also --fidelity");
  keys.add_choice<waves>("trace.waves", settings.waves,
                         {{"off", waves::off}, {"on", waves::on}, {"window", waves::window}})
      .observes_only()
      .meaning("write waves.vcd, waves.gtkw and timeline.json; also --waves");

  const auto windowed = [&settings] { return settings.waves == waves::window; };
  const double longest = std::numeric_limits<double>::max();
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
