// Runs the wafer_chain binary on small models.
#pragma once

#include <string>
#include <vector>

#include "tests/support/scenario_binary.h"

namespace wafer_chain_binary {

using namespace scenario_binary;

// A scenario of three users on 64 x 48 cores; `more` is TOML behind it.
inline std::string scenario(const std::string& model, const std::string& more = "") {
  return "[model]\nconfig = \"" + model +
         "\"\n"
         "[machine]\n"
         "wafer.columns = 64\n"
         "wafer.rows = 48\n"
         "link.receive_buffer_bytes = 1000000\n"
         "[workload]\n"
         "users = 3\n"
         "requests = 5\n"
         "prompt_tokens = 40\n"
         "output_tokens = 12\n" +
         more;
}

// metrics.json of a run that must succeed.
inline nlohmann::json measure(const scratch_folder& folder, const std::string& model,
                              const std::vector<std::string>& settings) {
  return metrics_of(folder, scenario(model), settings);
}

}  // namespace wafer_chain_binary
