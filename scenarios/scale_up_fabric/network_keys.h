// The keys of a scale-up network scenario.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/scale_up_domain/scale_up_config.h"
#include "scenarios/harness/key_table.h"

namespace scribeline::scenarios {

enum class traffic_pattern { ping, line_rate, incast, credit_sweep, bit_error_sweep, all_reduce, all_to_all };

struct traffic_settings {
  traffic_pattern pattern = traffic_pattern::ping;
  std::int64_t bytes = 64;
  int repeat = 100;
  bool victims = true;
  // All-to-all of a mixture-of-experts layer.
  std::int64_t tokens = 64;
  std::int64_t hidden = 7168;
  double bytes_per_element = 1;
  int experts_per_token = 8;
};

struct sweep_settings {
  double round_trip_ns = 1000;
  std::vector<std::int64_t> receive_buffer_bytes = {16'384, 32'768, 49'152, 65'536, 98'304, 106'496, 131'072};
  std::vector<double> bit_error_rates = {0, 1e-8, 1e-7, 1e-6};
};

struct trace_settings {
  int ranks = 4;
  int planes = 1;
};

struct network_settings {
  std::string preset = "ethernet_800g_twinax";
  platforms::scale_up_config machine;
  traffic_settings traffic;
  sweep_settings sweep;
  trace_settings trace;
};

void declare_network_keys(harness::key_table& keys, network_settings& settings);

// scale_up_config::problem() with the key in place of the field it names.
std::string in_keys(const std::string& problem);

}  // namespace scribeline::scenarios
