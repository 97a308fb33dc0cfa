// The keys of an ASIC rack scenario.
#pragma once

#include <string>

#include "platforms/asic_rack/rack_config.h"
#include "scenarios/harness/key_table.h"

namespace scribeline::scenarios {

struct rack_settings {
  platforms::rack_config config;  // model and seed are filled in before the run
  std::string preset = "jalapeno";
  std::string model_file;

  rack_settings();
};

void declare_rack_keys(harness::key_table& keys, rack_settings& settings);

}  // namespace scribeline::scenarios
