#include <catch2/catch.hpp>

#include "firmware_stubs/accelerator_kernels/rank_program.h"
#include "tests/unit/accelerator_kernels/spread.h"
#include "tests/unit/plan/planned.h"

using namespace scribeline;
using namespace scribeline::accelerator_kernels;
using accelerator::opcode;

namespace {

std::vector<std::string> names(const rank_program& program) {
  std::vector<std::string> list;
  for (const auto& op : program.operations)
    list.push_back(op.name);
  return list;
}

int count(const rank_program& program, opcode op) {
  int n = 0;
  for (const auto& d : program.descriptors)
    n += d.op == op;
  return n;
}

double weights_read(const rank_program& program, double experts) {
  double bytes = 0;
  for (const auto& d : program.descriptors)
    bytes += static_cast<double>(d.weight_bytes) * (d.scaled_by == accelerator::scale::experts ? experts : 1);
  return bytes;
}

}  // namespace

TEST_CASE("a dense layer over ranks: joined projections, two all-reduces of the hidden state") {
  const auto m = planned::from_models("llama-3.1-70b");
  const auto program = make_rank_program({m.layer(0)}, spread(8), {});
  CHECK(names(program) == std::vector<std::string>{"attention_norm", "q_proj+k_proj+v_proj", "score_and_value",
                                                   "o_proj", "attention_all_reduce", "ffn_norm", "gate_up_proj",
                                                   "down_proj", "ffn_all_reduce"});
  const auto& joined = program.descriptors[1];
  CHECK(joined.macs_per_token == 8192 * (1024 + 2 * 128));
  CHECK(joined.input_bytes == 8192 * 2);
  CHECK(joined.output_bytes == (1024 + 2 * 128) * 2);
  CHECK(program.descriptors[4].input_bytes == 8192 * 2);
  CHECK(program.descriptors[4].ranks == 8);
  CHECK_FALSE(program.experts);
}

TEST_CASE("one rank exchanges nothing") {
  const auto m = planned::from_models("deepseek-v3");
  const auto program = make_rank_program(m.plan, spread(1), {});
  for (const auto& d : program.descriptors)
    CHECK_FALSE(accelerator::is_exchange(d.op));
}

TEST_CASE("a rank of a model reads what the plan says one token needs") {
  for (const char* name : {"gpt-oss-120b", "deepseek-v3", "nemotron-3-super", "llama-3.1-8b"}) {
    CAPTURE(name);
    const auto m = planned::from_models(name);
    const auto program = make_rank_program(m.plan, spread(1), {});
    double expected = 0;
    for (const auto& layer : m.plan)
      for (const auto& op : layer.operations)
        if (op.kind != plan::op_kind::embed)
          expected += static_cast<double>(plan::work_of(op, 1, 0).weight_bytes_read.value());
    // Norms, biases of attention and the router's correction are read with what they belong to.
    CHECK(weights_read(program, program.experts ? program.experts->top_k : 1) == Approx(expected).epsilon(0.002));
  }
}

TEST_CASE("tokens travel to their experts only when there are replicas of the attention") {
  const auto m = planned::from_models("deepseek-v3");
  const auto split = make_rank_program({m.layer(5)}, spread(8), {});
  CHECK(count(split, opcode::all_reduce) == 2);
  CHECK(count(split, opcode::dispatch) == 0);
  const auto dealt = make_rank_program({m.layer(5)}, spread(8, 1, 8), {});
  CHECK(count(dealt, opcode::all_reduce) == 2);
  CHECK(count(dealt, opcode::dispatch) == 0);
  exchange_formats formats;
  formats.dispatch_bits = 8;
  const auto travelling = make_rank_program({m.layer(5)}, spread(1, 8, 8), formats);
  CHECK(count(travelling, opcode::all_reduce) == 0);
  REQUIRE(count(travelling, opcode::dispatch) == 1);
  REQUIRE(count(travelling, opcode::combine) == 1);
  for (const auto& d : travelling.descriptors) {
    if (d.op == opcode::dispatch) CHECK(d.input_bytes == 7168);
    if (d.op == opcode::combine) CHECK(d.input_bytes == 2 * 7168);
    if (d.op == opcode::dispatch || d.op == opcode::combine) CHECK(d.round_trip_bytes == 3 * 7168);
  }
  const auto mixed = make_rank_program({m.layer(5)}, spread(2, 4, 8), {});
  CHECK(count(mixed, opcode::all_reduce) == 2);
  CHECK(count(mixed, opcode::dispatch) == 1);
  REQUIRE(mixed.experts);
  CHECK(mixed.experts->experts == 256);
  CHECK(mixed.experts->top_k == 8);
}

TEST_CASE("4-bit exchanges carry their scales, and a 4-bit combine says so") {
  const auto m = planned::from_models("deepseek-v3");
  const auto program = make_rank_program({m.layer(5)}, spread(1, 8, 8), {4, 4});
  for (const auto& d : program.descriptors) {
    if (d.op == opcode::dispatch || d.op == opcode::combine) CHECK(d.input_bytes == 7168 / 2 + 7168 / 16);
    CHECK(((d.flags & accelerator::flag::low_precision) != 0) == (d.op == opcode::combine));
  }
}

TEST_CASE("the head works on one token of each sequence and gathers candidates of every share of the vocabulary") {
  const auto m = planned::from_models("llama-3.1-8b");
  const auto program = make_rank_program({m.plan.back()}, spread(4), {});
  CHECK(names(program) == std::vector<std::string>{"final_norm", "lm_head", "candidates_all_gather"});
  CHECK(program.descriptors[1].scaled_by == accelerator::scale::sequences);
  CHECK(program.descriptors[1].macs_per_token == 4096 * 128256 / 4);
  CHECK(program.descriptors[2].input_bytes == 4 * 512);
}

TEST_CASE("experts are not known ahead of the router, other weights are") {
  const auto m = planned::from_models("gpt-oss-120b");
  const auto program = make_rank_program({m.layer(0)}, spread(8), {});
  for (std::size_t i = 0; i < program.descriptors.size(); ++i) {
    const auto& d = program.descriptors[i];
    if (d.op != opcode::product) continue;
    CAPTURE(program.operations[i].name);
    CHECK(((d.flags & accelerator::flag::known_ahead) != 0) == (d.scaled_by != accelerator::scale::experts));
  }
}
