// Published config.json files as they are, when they lie beside the project.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "firmware_stubs/model/model_error.h"
#include "firmware_stubs/model/read_model.h"

using namespace scribeline::model;

namespace {

const std::filesystem::path folder = std::filesystem::path(SCRIBELINE_SOURCE_DIR) / ".." / "shared" / "hf_configs";

// Layers by "attention kind / feed-forward kind".
std::map<std::string, int> layer_kinds(const model_spec& m) {
  std::map<std::string, int> kinds;
  for (const layer_spec& layer : m.layers)
    ++kinds[std::string(to_string(kind_of(layer.mixer))) + " / " + to_string(kind_of(layer.ffn))];
  return kinds;
}

}  // namespace

TEST_CASE("published descriptions load with the layers they describe") {
  if (!std::filesystem::exists(folder)) {
    WARN("skipped: no published descriptions beside the project (" << folder.lexically_normal().filename() << ")");
    return;
  }
  const std::map<std::string, std::map<std::string, int>> expected = {
      {"Qwen--Qwen3-235B-A22B", {{"grouped / mixture of experts", 94}}},
      {"Qwen--Qwen3-32B", {{"grouped / dense", 64}}},
      {"Qwen--Qwen3-VL-235B-A22B-Instruct", {{"grouped / mixture of experts", 94}}},
      {"Qwen--Qwen3.5-397B-A17B", {{"gated delta / mixture of experts", 45}, {"grouped / mixture of experts", 15}}},
      {"deepseek-ai--DeepSeek-V3", {{"latent / dense", 3}, {"latent / mixture of experts", 58}}},
      {"deepseek-ai--DeepSeek-V3.2", {{"latent sparse / dense", 3}, {"latent sparse / mixture of experts", 58}}},
      {"deepseek-ai--DeepSeek-V4-Pro", {{"compressed sparse / mixture of experts", 61}}},
      {"meta-llama--Llama-4-Maverick-17B-128E-Instruct",
       {{"chunked / dense", 24}, {"chunked / mixture of experts", 12}, {"grouped / mixture of experts", 12}}},
      {"meta-llama--Meta-Llama-3.1-405B", {{"grouped / dense", 126}}},
      {"meta-llama--Meta-Llama-3.1-70B", {{"grouped / dense", 80}}},
      {"meta-llama--Meta-Llama-3.1-8B", {{"grouped / dense", 32}}},
      {"moonshotai--Kimi-K2.5", {{"latent / dense", 1}, {"latent / mixture of experts", 60}}},
      {"moonshotai--Kimi-K3",
       {{"Kimi delta / dense", 1}, {"Kimi delta / mixture of experts", 68}, {"latent / mixture of experts", 24}}},
      {"nvidia--Kimi-K2.6-NVFP4", {{"latent / dense", 1}, {"latent / mixture of experts", 60}}},
      {"nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-FP8",
       {{"Mamba-2 / none", 40}, {"grouped / none", 8}, {"none / mixture of experts", 40}}},
      {"openai--gpt-oss-120b", {{"grouped / mixture of experts", 18}, {"sliding window / mixture of experts", 18}}},
      {"zai-org--GLM-5", {{"latent sparse / dense", 3}, {"latent sparse / mixture of experts", 75}}},
  };
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().stem().string();
    INFO(name);
    if (expected.count(name) == 0) {
      // A file that is new here may be refused, but only for a reason.
      try {
        read_model(entry.path().string());
      } catch (const model_error& error) {
        WARN(error.what());
      }
      continue;
    }
    CHECK(layer_kinds(read_model(entry.path().string())) == expected.at(name));
    ++seen;
  }
  CHECK(seen == static_cast<int>(expected.size()));
}

TEST_CASE("NVFP4 of the whole checkpoint spares attention, shared experts and the dense layer") {
  const std::filesystem::path file = folder / "nvidia--Kimi-K2.6-NVFP4.json";
  if (!std::filesystem::exists(file)) {
    WARN("skipped: no published descriptions beside the project");
    return;
  }
  const model_spec m = read_model(file.string());
  for (std::uint32_t layer = 1; layer < m.layers.size(); ++layer) {
    INFO("layer " << layer);
    CHECK(format_of_layer_weight(m, layer, "mlp.experts.0.up_proj", weight_role::routed_expert) == nvfp4_format());
    CHECK(format_of_layer_weight(m, layer, "self_attn.o_proj", weight_role::linear) == plain_format(16));
    CHECK(format_of_layer_weight(m, layer, "mlp.shared_experts.up_proj", weight_role::linear) == plain_format(16));
  }
  CHECK(format_of_layer_weight(m, 0, "mlp.up_proj", weight_role::linear) == plain_format(16));
  CHECK(format_of_head(m) == plain_format(16));
  CHECK(m.cache_bits() == 8);
}
