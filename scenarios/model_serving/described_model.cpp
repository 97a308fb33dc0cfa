#include "scenarios/model_serving/described_model.h"

#include <fmt/format.h>

#include "firmware_stubs/model/model_error.h"
#include "firmware_stubs/model/read_model.h"
#include "rtl_tlm/base/error.h"

namespace scribeline::scenarios {

void declare_model_key(harness::key_table& keys, std::string& file) {
  keys.add("model.config", file)
      .names_file()
      .required()
      .meaning("model description with the keys of a Hugging Face config.json");
}

model::model_spec read_described_model(const std::string& key, const std::string& file) {
  try {
    return model::read_model(file);
  } catch (const model::model_error& problem) {
    throw base::bad_input(fmt::format("{}: {}", key, problem.what()));
  }
}

void show_notes(const model::model_spec& model, harness::run_context& context) {
  for (const std::string& note : model.notes)
    context.notes << "note: " << model.name << ": " << note << "\n";
}

}  // namespace scribeline::scenarios
