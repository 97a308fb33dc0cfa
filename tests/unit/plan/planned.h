// A model of models/ with its plan, and look-ups the tests need.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "firmware_stubs/model/read_model.h"
#include "firmware_stubs/plan/make_plan.h"
#include "firmware_stubs/plan/sizes.h"
#include "firmware_stubs/plan/work.h"

namespace planned {

struct planned_model {
  scribeline::model::model_spec model;
  std::vector<scribeline::plan::layer_plan> plan;

  explicit planned_model(scribeline::model::model_spec spec)
      : model(std::move(spec)), plan(scribeline::plan::make_plan(model)) {}

  // Layer n counts from 0, as in the description.
  const scribeline::plan::layer_plan& layer(std::size_t n) const { return plan.at(n + 1); }
};

inline planned_model from_models(const std::string& name) {
  return planned_model(scribeline::model::read_model(std::string(SCRIBELINE_SOURCE_DIR) + "/models/" + name + ".json"));
}

inline planned_model from_text(const std::string& json) {
  return planned_model(scribeline::model::parse_model(json, "test.json"));
}

inline const scribeline::plan::operation& op(const scribeline::plan::layer_plan& layer, const std::string& name) {
  for (const auto& operation : layer.operations)
    if (operation.name == name) return operation;
  throw std::out_of_range(layer.name + " has no operation " + name);
}

inline bool has_op(const scribeline::plan::layer_plan& layer, const std::string& name) {
  for (const auto& operation : layer.operations)
    if (operation.name == name) return true;
  return false;
}

}  // namespace planned
