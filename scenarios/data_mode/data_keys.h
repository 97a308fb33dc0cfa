// The keys of a data_mode scenario.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware_stubs/tiny_model/tiny_decoder.h"
#include "platforms/data_pipeline/data_pipeline.h"
#include "scenarios/harness/key_table.h"

namespace scribeline::scenarios {

struct data_settings {
  std::vector<std::string> layers = {"grouped_dense", "grouped_dense"};
  int hidden = 64;
  int vocabulary = 96;
  int feed_forward = 128;

  std::string preset = "wse2";
  fabric::fabric_chip chip;
  std::int64_t data_bytes_per_core = 0;  // SRAM less runtime and program
  double clock_ghz = 0;
  int side = 16;
  int wafers = 2;
  link::link_config link;
  bool retry = true;
  double interrupt_latency_ns = 200;

  std::vector<int> prompt = {5};
  int generated_tokens = 16;
  double tolerance = 0.03;

  data_settings();

  // Throws base::bad_input for what keys cannot check one by one.
  tiny_model::tiny_decoder_spec model(std::uint64_t seed) const;
  platforms::data_pipeline_config machine(std::uint64_t seed) const;
};

void declare_data_keys(harness::key_table& keys, data_settings& settings);

}  // namespace scribeline::scenarios
