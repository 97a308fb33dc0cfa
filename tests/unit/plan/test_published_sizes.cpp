// The published config.json files give the same plans as our descriptions, when they lie beside the project.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/unit/plan/planned.h"

using namespace scribeline;
using namespace planned;

namespace {

const std::filesystem::path folder = std::filesystem::path(SCRIBELINE_SOURCE_DIR) / ".." / "shared" / "hf_configs";

bool published_descriptions_are_here() {
  if (std::filesystem::exists(folder)) return true;
  WARN("skipped: no published descriptions beside the project");
  return false;
}

planned_model from_published(const std::string& name) {
  return planned_model(model::read_model((folder / (name + ".json")).string()));
}

void check_same(const plan::operation& ours, const plan::operation& published) {
  CHECK(ours.name == published.name);
  CHECK(ours.kind == published.kind);
  CHECK(ours.beside_previous == published.beside_previous);
  CHECK(ours.weight_elements == published.weight_elements);
  CHECK(ours.weight_bytes == published.weight_bytes);
  CHECK(ours.format == published.format);
  CHECK(ours.cache_entry_bytes == published.cache_entry_bytes);
  CHECK(ours.state_bytes == published.state_bytes);
  CHECK(ours.window == published.window);
  CHECK(ours.sparse_top_k == published.sparse_top_k);
  CHECK(plan::work_of(ours, 3, 5000).macs == plan::work_of(published, 3, 5000).macs);
}

}  // namespace

TEST_CASE("our descriptions plan the same operations as the published files they are made from") {
  if (!published_descriptions_are_here()) return;
  const std::vector<std::pair<const char*, const char*>> pairs = {
      {"llama-3.1-8b", "meta-llama--Meta-Llama-3.1-8B"},
      {"llama-3.1-70b", "meta-llama--Meta-Llama-3.1-70B"},
      {"llama-3.1-405b", "meta-llama--Meta-Llama-3.1-405B"},
      {"qwen3-235b", "Qwen--Qwen3-235B-A22B"},
      {"gpt-oss-120b", "openai--gpt-oss-120b"},
      {"deepseek-v3", "deepseek-ai--DeepSeek-V3"},
      {"deepseek-v4-pro", "deepseek-ai--DeepSeek-V4-Pro"},
      {"kimi-k2.6", "moonshotai--Kimi-K2.5"},
      {"kimi-k3", "moonshotai--Kimi-K3"},
      {"nemotron-3-super", "nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-FP8"},
  };
  for (const auto& [ours_name, published_name] : pairs) {
    const planned_model ours = from_models(ours_name);
    const planned_model published = from_published(published_name);
    REQUIRE(ours.plan.size() == published.plan.size());
    CHECK(ours.model.drafts.size() == published.model.drafts.size());
    for (std::size_t i = 0; i < ours.plan.size(); ++i) {
      REQUIRE(ours.plan[i].operations.size() == published.plan[i].operations.size());
      for (std::size_t j = 0; j < ours.plan[i].operations.size(); ++j) {
        INFO(ours_name << ", " << ours.plan[i].name << ", " << ours.plan[i].operations[j].name);
        check_same(ours.plan[i].operations[j], published.plan[i].operations[j]);
      }
    }
  }
}

TEST_CASE("published files without a description of ours have the sizes that were published") {
  if (!published_descriptions_are_here()) return;
  struct published {
    const char* name;
    double total_billions;
    double total_tolerance;
    double active_billions;  // of the language model
    double active_tolerance;
    double cache_bytes;  // per token, by hand
  };
  const auto row =
      GENERATE(published{"Qwen--Qwen3-32B", 32.8, 0.002, 32, 0.01, 64 * 2 * 8 * 128 * 2},
               published{"Qwen--Qwen3-VL-235B-A22B-Instruct", 235, 0.002, 22, 0.025, 94 * 2 * 4 * 128 * 2},
               // 397B and 17B are the name of the model; the table of 1 B is not in our active count.
               published{"Qwen--Qwen3.5-397B-A17B", 397, 0.005, 17, 0.05, 15 * 2 * 2 * 256 * 2},
               // As DeepSeek-V3, with an index key of 132 bytes.
               published{"deepseek-ai--DeepSeek-V3.2", 671, 0.005, 37, 0.02, 61 * (576 * 2 + 132)},
               // Model card: 400B total, 17B active; the embedding table is 1 B.
               published{"meta-llama--Llama-4-Maverick-17B-128E-Instruct", 400, 0.005, 17, 0.06, 12 * 2 * 8 * 128 * 2},
               // Eight-bit cache.
               published{"nvidia--Kimi-K2.6-NVFP4", 1030, 0.005, 32, 0.02, 61 * 576},
               // Technical report: 744B total, 40B active.
               published{"zai-org--GLM-5", 744, 0.001, 40, 0.03, 78 * (576 * 2 + 132)});
  INFO(row.name);
  const planned_model m = from_published(row.name);
  CHECK(static_cast<double>(plan::total_parameters(m.plan)) / 1e9 ==
        Approx(row.total_billions).epsilon(row.total_tolerance));
  CHECK(static_cast<double>(plan::active_parameters_per_token(m.plan)) / 1e9 ==
        Approx(row.active_billions).epsilon(row.active_tolerance));
  CHECK(plan::cache_bytes_per_token(m.plan) == row.cache_bytes);
}
