// The model a scenario serves, as its description says.
#pragma once

#include <string>

#include "firmware_stubs/model/model_spec.h"
#include "scenarios/harness/scenario.h"

namespace scribeline::scenarios {

// model.config, required.
void declare_model_key(harness::key_table& keys, std::string& file);

// Throws base::bad_input, which names `key`, for a description that cannot be used.
model::model_spec read_described_model(const std::string& key, const std::string& file);

// Tells the user what the reader noted about the model.
void show_notes(const model::model_spec& model, harness::run_context& context);

}  // namespace scribeline::scenarios
