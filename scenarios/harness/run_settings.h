// The settings every scenario has.
#pragma once

#include <cstdint>
#include <vector>

#include "rtl_tlm/trace/vcd_writer.h"
#include "scenarios/harness/key_table.h"

namespace scribeline::harness {

// Of a wafer's fabric: closed forms, streams of words, single words. Of a network: trains of frames, single frames.
enum class fidelity { formula, burst, wavelet, packet };
enum class waves { off, on, window };

struct run_settings {
  std::int64_t seed = 1;
  harness::fidelity fidelity = harness::fidelity::formula;
  harness::waves waves = harness::waves::off;
  double window_start_us = 0;
  double window_end_us = 1000;
};

// The span of simulated time that waves cover, in picoseconds.
trace::vcd_options wave_options(const run_settings& settings);

// Declares run.seed, run.fidelity (of those the scenario offers, the first is the default) and trace.*.
void declare_run_keys(key_table& keys, run_settings& settings, const std::vector<fidelity>& offered);

}  // namespace scribeline::harness
