// Sizes that were published or can be worked out by hand, for the descriptions in models/.
#include <catch2/catch.hpp>

#include "tests/unit/plan/planned.h"

using namespace scribeline;
using namespace planned;

namespace {

std::int64_t expert_bytes(const plan::layer_plan& layer) {
  return (op(layer, "experts_gate_up").weight_bytes + op(layer, "experts_down").weight_bytes).value();
}

std::uint64_t expert_parameters(const plan::layer_plan& layer) {
  return op(layer, "experts_gate_up").weight_elements + op(layer, "experts_down").weight_elements;
}

double billions(std::uint64_t parameters) {
  return static_cast<double>(parameters) / 1e9;
}

}  // namespace

TEST_CASE("Llama-3.1-8B keeps 131,072 bytes of keys and values per token") {
  // 32 layers x (key + value) x 8 heads x 128 x 2 bytes.
  const planned_model m = from_models("llama-3.1-8b");
  CHECK(plan::cache_bytes_per_token(m.plan) == 131072);
  CHECK(plan::request_bytes(m.plan, 1000).total().value() == 131072000);
  CHECK(plan::request_bytes(m.layer(5), 1000).cache.value() == 4096000);
}

TEST_CASE("Kimi-K2.6 keeps 70,272 bytes per token and 9.51 GB of experts per layer") {
  const planned_model m = from_models("kimi-k2.6");
  CHECK(plan::cache_bytes_per_token(m.plan) == 70272);  // 61 x (512 + 64) x 2
  const plan::layer_plan& layer = m.layer(1);
  CHECK(expert_parameters(layer) == 16911433728);  // 384 x 3 x 7168 x 2048
  CHECK(expert_bytes(layer) == 9512681472);        // x (4 + 16/32) / 8
  CHECK(op(layer, "q_b_proj").format.bits_per_weight == 16);
  CHECK(op(layer, "shared_gate_up").format.bits_per_weight == 16);
  CHECK(op(m.plan.back(), "lm_head").format.bits_per_weight == 16);
  CHECK(op(m.layer(0), "gate_up_proj").format.bits_per_weight == 16);  // the dense layer is ignored
}

TEST_CASE("Kimi-K3 has 15.722 GB of experts, 6 MiB of recurrent state and 27,648 cache bytes per token") {
  const planned_model m = from_models("kimi-k3");
  CHECK(plan::cache_bytes_per_token(m.plan) == 27648);  // 24 x 576 x 2
  const plan::layer_plan& recurrent = m.layer(1);
  CHECK(expert_parameters(recurrent) == 29595009024);                           // 896 x 3 x 3584 x 3072
  CHECK(expert_bytes(recurrent) == 15722348544);                                // x (4 + 8/32) / 8
  CHECK(op(recurrent, "state_update").state_bytes.value() == 6 * 1024 * 1024);  // 96 x 128 x 128 x 4
  CHECK(op(recurrent, "convolution").state_bytes.value() == 3 * 96 * 128 * 3 * 2);
  int recurrent_layers = 0;
  int attention_layers = 0;
  for (const model::layer_spec& layer : m.model.layers) {
    recurrent_layers += model::kind_of(layer.mixer) == model::attention_kind::kimi_delta;
    attention_layers += model::kind_of(layer.mixer) == model::attention_kind::latent;
  }
  CHECK(recurrent_layers == 69);
  CHECK(attention_layers == 24);
  // Per request: 69 states of 6 MiB with the last 3 inputs of their convolutions, the same at any length; latents.
  CHECK(plan::request_bytes(m.plan, 0).total().value() == 69 * (6291456 + 221184));
  CHECK(plan::request_bytes(m.plan, 1 << 20).state.value() == 69 * (6291456 + 221184));
  CHECK(plan::request_bytes(m.plan, 1 << 20).cache.value() == std::int64_t{27648} << 20);
  CHECK(plan::request_bytes(m.plan, 1 << 20).window.value() == 0);
}

TEST_CASE("DeepSeek-V4-Pro keeps 8,918 bytes per token and a window of 128 positions in each layer") {
  // 30 layers with an entry per 4 positions (1,024 + 132 bytes of index), 31 with one per 128.
  const planned_model m = from_models("deepseek-v4-pro");
  CHECK(plan::cache_bytes_per_token(m.plan) == 30 * (256 + 33) + 31 * 8);
  CHECK(plan::cache_bytes_per_token(m.plan) == 8918);
  CHECK(plan::request_bytes(m.plan, 1 << 20).window.value() == 61 * 128 * 1024);
  // Unfinished entries, values and gate scores in 32 bit: 2 x 4 positions of 2 x 512 and, for the index, 2 x 128
  // channels; 128 positions of 512 channels.
  CHECK(plan::request_bytes(m.plan, 0).state.value() == 30 * 2 * 4 * 8 * (1024 + 256) + 31 * 2 * 4 * 128 * 512);
  CHECK(plan::request_bytes(m.plan, 1 << 20).cache.value() == std::int64_t{8918} << 20);
  CHECK(op(m.layer(1), "experts_down").format.name == "mxfp4");
  CHECK(op(m.layer(1), "shared_down").format.name == "fp8 128x128");
}

TEST_CASE("gpt-oss-120b keeps 36,864 bytes per token and 4,718,592 bytes of windows") {
  const planned_model m = from_models("gpt-oss-120b");
  CHECK(plan::cache_bytes_per_token(m.plan) == 36864);  // 18 x 2 x 8 x 64 x 2
  CHECK(plan::request_bytes(m.plan, 8192).window.value() == 4718592);
  CHECK(plan::request_bytes(m.plan, 100).window.value() == 18 * 2048 * 100);
  CHECK(plan::request_bytes(m.plan, 8192).total().value() == 8192 * 36864 + 4718592);
  CHECK(plan::request_bytes(m.plan, 8192).state.value() == 0);
}

TEST_CASE("Nemotron-3-Super keeps 8,192 bytes per token and 170 MB of state") {
  const planned_model m = from_models("nemotron-3-super");
  CHECK(plan::cache_bytes_per_token(m.plan) == 8192);  // 8 x 2 x 2 x 128 x 2
  // 40 layers of 128 heads x 64 x 128 in 32 bit, and the last 3 inputs of 10,240 convolution channels.
  CHECK(plan::request_bytes(m.plan, 0).total().value() == 40 * (4194304 + 61440));
  CHECK(plan::request_bytes(m.plan, 1 << 20).state.value() == 170229760);
}

TEST_CASE("parameter totals agree with what was published") {
  struct published {
    const char* name;
    double total_billions;
    double total_tolerance;  // relative; half a unit of the last published digit, or as said
    double active_billions;
    double active_tolerance;
  };
  const auto row = GENERATE(
      // The Llama 3 papers and model cards; the last digit of 8.03, 70.55 and 405.85.
      published{"llama-3.1-8b", 8.03, 0.001, 0, 0}, published{"llama-3.1-70b", 70.55, 0.0001, 0, 0},
      published{"llama-3.1-405b", 405.85, 0.0001, 0, 0},
      // Model cards: "1T total, 32B active"; 1.03 T is counted from the checkpoint.
      published{"kimi-k2.6", 1030, 0.005, 32, 0.02},
      // Technical report: 671B total, 37B active.
      published{"deepseek-v3", 671, 0.001, 37, 0.015},
      // Model card: 235B total, 22B active.
      published{"qwen3-235b", 235, 0.002, 22, 0.025},
      // Model card: 116.8B total, 5.13B active.
      published{"gpt-oss-120b", 116.83, 0.0001, 5.13, 0.002},
      // Model card: 120.6B total, 12.7B active with and 12.2B without the embedding table.
      published{"nemotron-3-super", 120.6, 0.001, 12.2, 0.005},
      // Technical report: 1.6T total with the draft module (which is not in the plan), 49B active.
      published{"deepseek-v4-pro", 1600, 0.02, 49, 0.01});
  INFO(row.name);
  const planned_model m = from_models(row.name);
  CHECK(billions(plan::total_parameters(m.plan)) == Approx(row.total_billions).epsilon(row.total_tolerance));
  if (row.active_billions != 0)
    CHECK(billions(plan::active_parameters_per_token(m.plan)) ==
          Approx(row.active_billions).epsilon(row.active_tolerance));
}

TEST_CASE("the Sol estimate has 2.93 T parameters of which a token uses 147 B") {
  const planned_model m = from_models("sol-estimate");
  CHECK(billions(plan::total_parameters(m.plan)) == Approx(2927.4).epsilon(0.0001));
  CHECK(billions(plan::active_parameters_per_token(m.plan)) == Approx(147.04).epsilon(0.0001));
  CHECK(plan::cache_bytes_per_token(m.plan) == 80 * 576 * 2);
  CHECK(expert_bytes(m.layer(0)) == std::int64_t{288} * 3 * 10240 * 4096 / 16 * 9);  // 4.5 bits
}
