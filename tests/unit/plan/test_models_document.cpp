// docs/models.md shows sizes: they are those of the plan, or this test says what they should be.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/unit/plan/planned.h"

using namespace scribeline;

namespace {

const std::filesystem::path root(SCRIBELINE_SOURCE_DIR);

std::string document() {
  std::ostringstream text;
  text << std::ifstream(root / "docs" / "models.md").rdbuf();
  return text.str();
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(root / "models"))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

double billions(double value) {
  return value / 1e9;
}

std::string row(const std::string& name) {
  const planned::planned_model m = planned::from_models(name);
  const plan::request_memory kept = plan::request_bytes(m.plan, 131072);
  return fmt::format("| {} | {} | {:.2f} | {:.2f} | {:.1f} | {} | {:.1f} | {:.1f} |", name, m.model.layers.size(),
                     billions(static_cast<double>(plan::total_parameters(m.plan))),
                     billions(static_cast<double>(plan::active_parameters_per_token(m.plan))),
                     billions(static_cast<double>(plan::weight_bytes(m.plan).value())),
                     plan::cache_bytes_per_token(m.plan), static_cast<double>(kept.window.value()) / 1e6,
                     static_cast<double>(kept.state.value()) / 1e6);
}

}  // namespace

TEST_CASE("the table of models in the documentation has every model with its sizes") {
  const std::string text = document();
  const std::vector<std::string> names = model_names();
  CHECK(names.size() >= 11);
  std::string missing;
  for (const std::string& name : names)
    if (text.find(row(name) + "\n") == std::string::npos) missing += row(name) + "\n";
  CHECK(missing == "");
}

TEST_CASE("the documentation lists every model type that is read") {
  const std::string text = document();
  std::string missing;
  for (const std::string& type : model::known_model_types())
    if (text.find("`" + type + "`") == std::string::npos) missing += type + " ";
  CHECK(missing == "");
}

TEST_CASE("every description of the project names its sources") {
  for (const std::string& name : model_names()) {
    INFO(name);
    std::ostringstream text;
    text << std::ifstream(root / "models" / (name + ".json")).rdbuf();
    CHECK_THAT(text.str(), Catch::Contains("\"_sources\""));
  }
}
