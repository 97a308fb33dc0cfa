// The keys of a wafer chain scenario.
#pragma once

#include <string>

#include "platforms/wafer_chain/chain_config.h"
#include "scenarios/harness/key_table.h"

namespace scribeline::scenarios {

struct chain_settings {
  platforms::chain_config config;  // model and seed are filled in before the run
  std::string preset = "wse3";
  std::string model_file;

  chain_settings();
};

void declare_chain_keys(harness::key_table& keys, chain_settings& settings);

}  // namespace scribeline::scenarios
