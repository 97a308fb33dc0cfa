// Reads a model description with Hugging Face config.json keys.
#pragma once

#include <string>
#include <vector>

#include "firmware_stubs/model/model_spec.h"

namespace scribeline::model {

// The model described by the file, or by `text` (named `origin` in errors; `name` names the model). Wrappers
// with a text_config are entered; their other towers are not modelled and noted. Throws model_error for a file
// that cannot be read, broken JSON, a missing key or wrong type, and for whatever is not known: model_type,
// layer kind, quantisation method, or any key that may change the structure.
model_spec read_model(const std::string& path);
model_spec parse_model(const std::string& text, const std::string& origin);

// The model_type values that are known, in order.
std::vector<std::string> known_model_types();

}  // namespace scribeline::model
