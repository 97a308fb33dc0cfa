#include <catch2/catch.hpp>

#include "tests/unit/model/descriptions.h"
#include "tests/unit/plan/planned.h"

using namespace scribeline;
using namespace planned;
using descriptions::deepseek_v3;
using descriptions::llama;
using descriptions::replaced;

namespace {

// "name|" marks an operation that can run beside the one before it.
std::vector<std::string> names(const plan::layer_plan& layer) {
  std::vector<std::string> list;
  for (const plan::operation& op : layer.operations)
    list.push_back((op.beside_previous ? "|" : "") + op.name);
  return list;
}

}  // namespace

TEST_CASE("a plan is the embedding, the layers in order and the head") {
  const planned_model m = from_text(llama());
  REQUIRE(m.plan.size() == 4);
  CHECK(m.plan[0].what == plan::layer_plan::stage::embedding);
  CHECK(m.plan[1].name == "layer 0");
  CHECK(m.plan[2].layer_index == 1);
  CHECK(m.plan[3].what == plan::layer_plan::stage::head);
  CHECK(names(m.plan[0]) == std::vector<std::string>{"embed_tokens"});
  CHECK(names(m.plan[3]) == std::vector<std::string>{"final_norm", "lm_head", "sample"});
  for (std::size_t i = 1; i < m.plan.size(); ++i)
    CHECK(m.plan[i].input_elements == m.plan[i - 1].output_elements);
  CHECK(m.plan[1].input_elements == 64);
}

TEST_CASE("a dense layer with grouped attention has its operations in order") {
  const planned_model m = from_text(llama());
  CHECK(names(m.layer(0)) == std::vector<std::string>{"attention_norm", "q_proj", "|k_proj", "|v_proj", "rotary",
                                                      "kv_append", "score_and_value", "o_proj", "attention_residual",
                                                      "ffn_norm", "gate_up_proj", "activation", "down_proj",
                                                      "ffn_residual"});
  CHECK(op(m.layer(0), "gate_up_proj").outputs == 2 * 96);
  CHECK(op(m.layer(0), "k_proj").outputs == 2 * 8);
  CHECK(op(m.layer(0), "kv_append").cache_entry_bytes.value() == 2 * 2 * 8 * 2);
}

TEST_CASE("a latent mixture layer has its operations in order") {
  const planned_model m = from_text(deepseek_v3());
  CHECK(names(m.layer(1)) == std::vector<std::string>{"attention_norm",
                                                      "q_a_proj",
                                                      "|kv_a_proj_with_mqa",
                                                      "q_a_norm",
                                                      "|kv_a_norm",
                                                      "q_b_proj",
                                                      "rotary",
                                                      "latent_append",
                                                      "|absorb_key",
                                                      "score_and_value",
                                                      "absorb_value",
                                                      "o_proj",
                                                      "attention_residual",
                                                      "ffn_norm",
                                                      "router",
                                                      "dispatch",
                                                      "experts_gate_up",
                                                      "|shared_gate_up",
                                                      "experts_activation",
                                                      "|shared_activation",
                                                      "experts_down",
                                                      "|shared_down",
                                                      "combine",
                                                      "shared_add",
                                                      "ffn_residual"});
  const plan::operation& experts = op(m.layer(1), "experts_gate_up");
  CHECK(experts.inputs == 64);
  CHECK(experts.outputs == 2 * 32);
  CHECK(experts.copies == 8);
  CHECK(experts.active_copies == 2);
  CHECK(op(m.layer(1), "router").weight_elements == 64 * 8 + 8);
  // The two absorbed products hold kv_b_proj between them.
  CHECK(op(m.layer(1), "absorb_key").weight_elements + op(m.layer(1), "absorb_value").weight_elements ==
        32 * 4 * (8 + 8));
  CHECK(op(m.layer(1), "score_and_value").key_width == 36);
  CHECK(op(m.layer(1), "score_and_value").value_width == 32);
  CHECK(has_op(m.layer(0), "gate_up_proj"));  // the first layer is dense
}

TEST_CASE("a query that is not compressed is projected at once") {
  const planned_model m = from_text(replaced(deepseek_v3(), "\"q_lora_rank\": 24", "\"q_lora_rank\": null"));
  CHECK_FALSE(has_op(m.layer(0), "q_a_proj"));
  CHECK(op(m.layer(0), "q_proj").outputs == 4 * 12);
}

TEST_CASE("a tied head has bytes where it runs but no parameters of its own") {
  const planned_model free = from_text(llama());
  const planned_model tied =
      from_text(replaced(llama(), "\"tie_word_embeddings\": false", "\"tie_word_embeddings\": true"));
  CHECK(plan::total_parameters(free.plan) - plan::total_parameters(tied.plan) == 64 * 100);
  CHECK(plan::weight_bytes(free.plan).value() - plan::weight_bytes(tied.plan).value() == 2 * 64 * 100);
  CHECK(plan::weight_bytes(free.plan.back()) == plan::weight_bytes(tied.plan.back()));
  CHECK(plan::active_parameters_per_token(free.plan) == plan::active_parameters_per_token(tied.plan));
}

TEST_CASE("parameters of a tiny model counted by hand") {
  const planned_model m = from_text(llama());
  const std::uint64_t layer = 64 * 64 + 2 * 64 * 16 + 64 * 64 + 3 * 64 * 96 + 2 * 64;
  CHECK(plan::total_parameters(m.plan) == 2 * layer + 64 + 2 * 6400);
  CHECK(plan::active_parameters_per_token(m.plan) == 2 * layer + 64 + 6400 + 64);
  CHECK(plan::weight_bytes(m.plan).value() == 2 * static_cast<std::int64_t>(plan::total_parameters(m.plan)));
}

TEST_CASE("a token uses every parameter but the experts it is not sent to and the rows it does not look up") {
  for (const char* name : {"llama-3.1-8b", "gpt-oss-120b", "kimi-k3", "deepseek-v4-pro", "nemotron-3-super"}) {
    const planned_model m = from_models(name);
    std::uint64_t unused = 0;
    for (const plan::layer_plan& layer : m.plan)
      for (const plan::operation& op : layer.operations)
        if (op.kind == plan::op_kind::experts || op.kind == plan::op_kind::embed)
          unused += op.weight_elements / op.copies * (op.copies - op.active_copies);
    INFO(name);
    CHECK(plan::active_parameters_per_token(m.plan) == plan::total_parameters(m.plan) - unused);
  }
}

TEST_CASE("products multiply each weight a token uses once") {
  for (const char* name : {"llama-3.1-8b", "gpt-oss-120b", "kimi-k3", "deepseek-v4-pro", "nemotron-3-super"}) {
    const planned_model m = from_models(name);
    for (const plan::layer_plan& layer : m.plan)
      for (const plan::operation& op : layer.operations) {
        if (op.kind != plan::op_kind::projection && op.kind != plan::op_kind::experts && op.kind != plan::op_kind::head)
          continue;
        INFO(name << ", " << layer.name << ", " << op.name);
        const double matrices = static_cast<double>(op.inputs) * op.outputs;
        const auto biases = static_cast<double>(op.weight_elements) - matrices * op.copies;
        CHECK(plan::work_of(op, 1, 10).macs == matrices * op.active_copies);
        CHECK((biases == 0 || biases == static_cast<double>(op.outputs) * op.copies));
      }
  }
}

TEST_CASE("one token reads the weights it uses and every stage's bytes add up") {
  for (const char* name : {"llama-3.1-8b", "kimi-k2.6"}) {
    const planned_model m = from_models(name);
    base::bytes sum{0};
    for (const plan::layer_plan& layer : m.plan) {
      sum += plan::weight_bytes(layer);
      CHECK(plan::work_of(layer, 1, 0).weight_bytes_read <= plan::weight_bytes(layer));
    }
    CHECK(sum == plan::weight_bytes(m.plan));
  }
}

TEST_CASE("what flows between stages widens with residual streams and depth attention") {
  const planned_model streams = from_models("deepseek-v4-pro");
  CHECK(streams.layer(0).input_elements == 7168);
  CHECK(streams.layer(0).output_elements == 4 * 7168);
  CHECK(op(streams.layer(0), "attention_stream_mix").weight_bytes.value() == 4 * (4 * 7168 * 24) + 2 * 24);
  const planned_model depth = from_models("kimi-k3");
  CHECK(depth.layer(0).output_elements == 2 * 7168);    // embedding and the running block
  CHECK(depth.layer(11).output_elements == 3 * 7168);   // the first block of 12 layers is finished
  CHECK(depth.plan.back().input_elements == 9 * 7168);  // 93 layers: 7 finished blocks
}

TEST_CASE("a draft module joins the hidden state with the next token and shares table and head") {
  const planned_model m = from_models("deepseek-v3");
  const std::vector<plan::layer_plan> drafts = plan::make_draft_plan(m.model);
  REQUIRE(drafts.size() == 1);
  CHECK(drafts[0].what == plan::layer_plan::stage::draft);
  CHECK(drafts[0].layer_index == 61);
  CHECK(op(drafts[0], "join_proj").inputs == 2 * 7168);
  CHECK(op(drafts[0], "lm_head").shared_weights);
  // DeepSeek's description of its weights: 11.5 B parameters of the module's own.
  CHECK(static_cast<double>(plan::total_parameters(drafts)) == Approx(11.5e9).epsilon(0.01));
  CHECK(plan::cache_bytes_per_token(drafts) == 1152);
  CHECK(plan::make_draft_plan(from_models("llama-3.1-8b").model).empty());
}

TEST_CASE("an 8-bit cache halves what grows") {
  const std::string fp8_cache = R"("quantization_config": {"quant_method": "modelopt", "quant_algo": "FP8",
    "kv_cache_scheme": {"num_bits": 8, "type": "float"}})";
  const planned_model m = from_text(descriptions::with(llama(), fp8_cache));
  CHECK(plan::cache_bytes_per_token(m.plan) == plan::cache_bytes_per_token(from_text(llama()).plan) / 2);
  CHECK(op(m.layer(0), "o_proj").weight_bytes.value() == 64 * 64 + 4);
}

TEST_CASE("windows fill and then stay, caches grow") {
  const planned_model m = from_models("gpt-oss-120b");
  const plan::layer_plan& windowed = m.layer(0);
  const plan::layer_plan& full = m.layer(1);
  CHECK(plan::request_bytes(windowed, 50).window.value() == 50 * 2048);
  CHECK(plan::request_bytes(windowed, 5000).window.value() == 128 * 2048);
  CHECK(plan::request_bytes(windowed, 5000).cache.value() == 0);
  CHECK(plan::request_bytes(full, 5000).cache.value() == 5000 * 2048);
  CHECK(plan::request_bytes(full, 5000).total().value() == 5000 * 2048);
}
