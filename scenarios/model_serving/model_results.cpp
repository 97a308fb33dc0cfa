#include "scenarios/model_serving/model_results.h"

#include "firmware_stubs/plan/sizes.h"

namespace scribeline::scenarios {

void add_model_sizes(const std::string& name, const std::vector<plan::layer_plan>& layers, harness::metrics& metrics) {
  metrics.add("model.name", name);
  metrics.add("model.parameters", static_cast<std::int64_t>(plan::total_parameters(layers)));
  metrics.add("model.active_parameters", static_cast<std::int64_t>(plan::active_parameters_per_token(layers)));
  metrics.add("model.weight_bytes", plan::weight_bytes(layers).value()).unit("B");
  metrics.add("model.cache_bytes_per_token", plan::cache_bytes_per_token(layers)).unit("B");
}

}  // namespace scribeline::scenarios
