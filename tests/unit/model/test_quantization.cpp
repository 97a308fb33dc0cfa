#include <catch2/catch.hpp>
#include <random>

#include "firmware_stubs/model/quantization.h"
#include "firmware_stubs/model/read_model.h"
#include "tests/unit/model/descriptions.h"

using namespace scribeline::model;
using descriptions::deepseek_v3;
using descriptions::with;

namespace {

model_spec quantised(const std::string& quantization) {
  return parse_model(with(deepseek_v3(), "\"quantization_config\": " + quantization), "tiny.json");
}

weight_format expert_format(const model_spec& m, std::uint32_t layer = 1) {
  return format_of_layer_weight(m, layer, "mlp.experts.0.up_proj", weight_role::routed_expert);
}

weight_format linear_format(const model_spec& m, const std::string& module, std::uint32_t layer = 1) {
  return format_of_layer_weight(m, layer, module, weight_role::linear);
}

}  // namespace

TEST_CASE("stored bytes are packed weights and scales") {
  weight_format int4;
  int4.bits_per_weight = 4;
  int4.scale_bits = 16;
  int4.group_outputs = 1;
  int4.group_inputs = 32;
  CHECK(stored_bytes(int4, 64, 10).value() == 10 * 32 + 10 * 2 * 2);
  CHECK(stored_bytes(int4, 65, 10).value() == 10 * 33 + 10 * 3 * 2);  // a part of a group has its own scale
  CHECK(stored_bytes(int4, 64, 10, 7).value() == 7 * 360);
  int4.zero_point_bits = 4;
  CHECK(stored_bytes(int4, 64, 10).value() == 320 + 40 + 10);

  weight_format fp8;
  fp8.bits_per_weight = 8;
  fp8.scale_bits = 32;
  fp8.group_outputs = 128;
  fp8.group_inputs = 128;
  CHECK(stored_bytes(fp8, 300, 129).value() == 300 * 129 + 3 * 2 * 4);
  fp8.group_outputs = fp8.group_inputs = 0;
  CHECK(stored_bytes(fp8, 300, 129, 2).value() == 2 * (300 * 129 + 4));  // one scale for each matrix

  CHECK(stored_bytes(mxfp4_format(), 64, 10).value() == 320 + 20);
  CHECK(stored_bytes(nvfp4_format(), 64, 10, 3).value() == 3 * (320 + 40 + 4));
  CHECK(stored_bytes(plain_format(16), 3, 5).value() == 30);
}

TEST_CASE("stored bytes never fall below the packed bits and grow with the matrix") {
  std::mt19937 random(2024);
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t inputs = 1 + random() % 500;
    const std::uint64_t outputs = 1 + random() % 500;
    INFO("seed 2024, round " << round << ": " << inputs << " x " << outputs);
    for (const weight_format& format : {mxfp4_format(), nvfp4_format(), plain_format(16), plain_format(32)}) {
      const auto bytes = stored_bytes(format, inputs, outputs).value();
      CHECK(bytes * 8 >= static_cast<std::int64_t>(inputs * outputs * format.bits_per_weight));
      CHECK(stored_bytes(format, inputs + 1, outputs).value() >= bytes);
      CHECK(stored_bytes(format, inputs, outputs + 1).value() > bytes);
    }
  }
}

TEST_CASE("INT4 with 16-bit scales spares what the ignore list names") {
  const model_spec m = quantised(R"({"quant_method": "compressed-tensors", "format": "pack-quantized",
    "config_groups": {"group_0": {"targets": ["Linear"], "weights": {"type": "int", "num_bits": 4,
    "strategy": "group", "group_size": 32, "symmetric": true}}},
    "ignore": ["lm_head", "re:.*self_attn.*", "re:.*shared_experts.*",
    "re:.*mlp\\.(gate|up|gate_up|down)_proj.*"]})");
  CHECK(expert_format(m).bits_per_weight == 4);
  CHECK(expert_format(m).scale_bits == 16);
  CHECK(expert_format(m).group_inputs == 32);
  CHECK(expert_format(m).zero_point_bits == 0);
  CHECK(linear_format(m, "self_attn.o_proj") == plain_format(16));
  CHECK(linear_format(m, "mlp.shared_experts.up_proj") == plain_format(16));
  CHECK(linear_format(m, "mlp.up_proj", 0) == plain_format(16));
  CHECK(linear_format(m, "mlp.other_proj").bits_per_weight == 4);
  CHECK(format_of_head(m) == plain_format(16));
  CHECK(format_of_layer_weight(m, 1, "mlp.gate", weight_role::unquantized) == plain_format(16));
}

TEST_CASE("asymmetric weights have zero points, other strategies other blocks") {
  const auto with_weights = [](const std::string& weights) {
    return expert_format(quantised(R"({"quant_method": "compressed-tensors", "format": "pack-quantized",
      "config_groups": {"group_0": {"targets": ["Linear"], "weights": )" +
                                   weights + R"(}}})"));
  };
  const weight_format zero_points =
      with_weights(R"({"type": "int", "num_bits": 8, "strategy": "group", "group_size": 16, "symmetric": false})");
  CHECK(zero_points.zero_point_bits == 8);
  CHECK(zero_points.group_inputs == 16);
  const weight_format channel = with_weights(R"({"type": "int", "num_bits": 8, "strategy": "channel"})");
  CHECK(stored_bytes(channel, 100, 10).value() == 1000 + 10 * 2);
  const weight_format tensor = with_weights(R"({"type": "float", "num_bits": 8, "strategy": "tensor"})");
  CHECK(stored_bytes(tensor, 100, 10).value() == 1000 + 2);
  const weight_format block =
      with_weights(R"({"type": "float", "num_bits": 8, "strategy": "block", "block_structure": [5, 50]})");
  CHECK(stored_bytes(block, 100, 10).value() == 1000 + 4 * 2);
}

TEST_CASE("a target list limits compressed-tensors to the modules it names") {
  const model_spec m = quantised(R"({"quant_method": "compressed-tensors", "format": "mxfp4-pack-quantized",
    "config_groups": {"group_0": {"targets": ["re:.*experts\\.\\d+\\..*"], "weights": {"type": "float",
    "num_bits": 4, "group_size": 32}}}})");
  CHECK(expert_format(m) == mxfp4_format());
  CHECK(linear_format(m, "self_attn.o_proj") == plain_format(16));
}

TEST_CASE("FP8 blocks have 32-bit scales, or 8-bit ones as powers of two") {
  const model_spec m = quantised(R"({"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128]})");
  CHECK(linear_format(m, "self_attn.o_proj").scale_bits == 32);
  CHECK(expert_format(m).group_outputs == 128);
  CHECK(format_of_head(m) == plain_format(16));  // this method never touches the head
  const model_spec powers =
      quantised(R"({"quant_method": "fp8", "scale_fmt": "ue8m0", "weight_block_size": [128, 128]})");
  CHECK(linear_format(powers, "self_attn.o_proj").scale_bits == 8);
  const model_spec spared = quantised(
      R"({"quant_method": "fp8", "weight_block_size": [128, 128], "modules_to_not_convert": ["model.layers.1.mlp"]})");
  CHECK(expert_format(spared, 1) == plain_format(16));
  CHECK(expert_format(spared, 2).bits_per_weight == 8);
}

TEST_CASE("NVFP4 has 16 weights per scale and respects globs and the cache scheme") {
  const model_spec m = quantised(R"({"quant_method": "modelopt", "quant_algo": "NVFP4",
    "ignore": ["lm_head", "model.layers.1.self_attn*", "model.layers.0*"],
    "kv_cache_scheme": {"dynamic": false, "num_bits": 8, "type": "float"}})");
  CHECK(expert_format(m) == nvfp4_format());
  CHECK(linear_format(m, "self_attn.o_proj", 1) == plain_format(16));
  CHECK(linear_format(m, "self_attn.o_proj", 2) == nvfp4_format());
  CHECK(linear_format(m, "mlp.up_proj", 0) == plain_format(16));
  CHECK(format_of_head(m) == plain_format(16));
  CHECK(m.cache_bits() == 8);
}

TEST_CASE("patterns match whole names, leading parts or expressions") {
  using reach = module_patterns::reach;
  const module_patterns whole({"a.b*", "lm_head", "re:.*x"}, reach::whole_name);
  CHECK(whole.match("a.b.c"));
  CHECK(whole.match("a.bc"));
  CHECK_FALSE(whole.match("z.a.b"));
  CHECK(whole.match("lm_head"));
  CHECK_FALSE(whole.match("lm_head.weight"));
  CHECK(whole.match("12x34"));  // an expression needs to match the start only
  const module_patterns leading({"model.layers.*.self_attn", "l?"}, reach::leading_parts);
  CHECK(leading.match("model.layers.12.self_attn.q_proj"));
  CHECK(leading.match("model.layers.12.self_attn"));
  CHECK_FALSE(leading.match("model.layers.12.self_attention"));
  CHECK(leading.match("l7.q"));
  CHECK_FALSE(leading.match("l77.q"));
  CHECK_FALSE(module_patterns{}.match("anything"));
}
