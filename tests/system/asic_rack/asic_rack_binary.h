// Runs the asic_rack binary as a user does, on small models.
#pragma once

#include "tests/support/scenario_binary.h"

namespace asic_rack_binary {

using namespace scenario_binary;

// Eight ranks and four users; `more` is TOML behind it.
inline std::string scenario(const std::string& model, const std::string& more = "") {
  return "[model]\nconfig = \"" + model +
         "\"\n"
         "[mapping]\n"
         "tensor = 4\n"
         "[workload]\n"
         "users = 4\n"
         "prompt_tokens = 400\n"
         "output_tokens = 12\n" +
         more;
}

// metrics.json of a run that must succeed.
inline nlohmann::json measure(const scratch_folder& folder, const std::string& model,
                              const std::vector<std::string>& settings) {
  return metrics_of(folder, scenario(model), settings);
}

}  // namespace asic_rack_binary
