// Racks of inference ASICs for small models.
#pragma once

#include <string>

#include "firmware_stubs/model/read_model.h"
#include "firmware_stubs/network_collectives/closed_form_network.h"
#include "platforms/asic_rack/asic_rack.h"
#include "platforms/asic_rack/rack_bounds.h"

namespace scribeline::platforms {

inline rack_config rack_of(const std::string& model_file, std::int64_t tensor) {
  rack_config c;
  c.model = model::read_model(std::string(SCRIBELINE_SOURCE_DIR) + "/" + model_file);
  c.accelerator = accelerator::find_accelerator_preset("jalapeno")->config;
  c.spread.tensor = tensor;
  c.load.users = 1;
  c.load.prompt_tokens = 100;
  c.load.output_tokens = 4;
  return c;
}

}  // namespace scribeline::platforms
