#include "firmware_stubs/model/model_spec.h"

#include <fmt/format.h>

namespace scribeline::model {

weight_format format_of_layer_weight(const model_spec& model, std::uint32_t index, const std::string& module,
                                     weight_role role) {
  return model.weights.format_of(fmt::format("{}.{}.{}", model.layers_module, index, module), role);
}

weight_format format_of_head(const model_spec& model) {
  return model.weights.format_of(model.head_module, weight_role::head);
}

}  // namespace scribeline::model
