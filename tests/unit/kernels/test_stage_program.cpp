#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "firmware_stubs/kernels/stage_compiler.h"
#include "firmware_stubs/kernels/stage_program.h"
#include "rtl_tlm/base/error.h"
#include "rtl_tlm/base/random.h"
#include "rtl_tlm/wafer/launch_timing.h"
#include "tests/unit/model/descriptions.h"
#include "tests/unit/plan/planned.h"
#include "tests/unit/wafer/small_wafer.h"

using namespace scribeline;
using kernels::compile;
using kernels::stage_map;
using kernels::stage_program;

namespace {

wafer::wafer_config large_wafer() {
  auto c = wafer::small_wafer();
  c.columns = 1000;
  c.rows = 1000;
  return c;
}

stage_map square_map(std::int64_t block, std::int64_t region, std::int64_t group_columns = 1,
                     std::int64_t group_rows = 1) {
  stage_map map;
  map.block = {block, block};
  map.region = {region, region};
  map.group_columns = group_columns;
  map.group_rows = group_rows;
  return map;
}

// Multiply-accumulates of all descriptors, or of those of one operation of the plan.
double macs(const stage_program& program, const wafer::launch_arguments& arguments, const std::string& operation = "") {
  wafer::launch_timing timing(large_wafer());
  double sum = 0;
  for (const auto& d : program.descriptors) {
    if (operation.empty() || program.operations.at(d.operation) == operation) sum += timing.cost_of(d, arguments).macs;
  }
  return sum;
}

std::string with_shared_experts(int n) {
  return descriptions::replaced(descriptions::deepseek_v3(), "\"n_shared_experts\": 1",
                                "\"n_shared_experts\": " + std::to_string(n));
}

}  // namespace

TEST_CASE("where every width divides, the descriptors multiply exactly as often as the plan says") {
  // 4 x 4 cores divide all widths of these models, 7 + 1 positions divide among 4 cores, groups of 4 x 4 cores
  // divide the experts, and a fourth of the shared expert is one row of cores wide.
  for (const auto& [name, json] : {std::pair{"grouped-query, dense", descriptions::llama()},
                                   std::pair{"latent, mixture of experts", descriptions::deepseek_v3()}}) {
    const auto model = planned::from_text(json);
    for (const auto& layer : model.plan) {
      const auto program = compile(layer, square_map(8, 4, 2, 2), 1);
      for (const auto& op : layer.operations) {
        INFO(name << ", " << layer.name << ", " << op.name);
        CHECK(macs(program, {1, 7, 1}, op.name) == plan::work_of(op, 1, 7).macs);
      }
      INFO(name << ", " << layer.name);
      CHECK(macs(program, {1, 7, 3}) == plan::work_of(layer, 1, 7).macs);  // imbalance costs time, not work
    }
  }
}

TEST_CASE("several tokens do the work of each of them") {
  const auto model = planned::from_text(descriptions::deepseek_v3());
  // 5 tokens behind 8 see 9, 10, .. 13 positions, 11 on average: 12 when divided among 4 cores.
  for (const auto& layer : model.plan) {
    INFO(layer.name);
    const auto program = compile(layer, square_map(8, 4, 2, 2), 5);
    const double exact = plan::work_of(layer, 5, 8).macs;
    CHECK(macs(program, {5, 8, 1}) >= exact);
    CHECK(macs(program, {5, 8, 1}) <= exact * 12 / 11);
  }
}

TEST_CASE("on any region the work is at least the plan's and at most what padding every slice can add") {
  const std::uint64_t seed = 20260802;
  INFO("seed " << seed);
  base::random_stream random(seed);
  for (const auto& json : {descriptions::llama(), descriptions::deepseek_v3(), with_shared_experts(3)}) {
    const auto model = planned::from_text(json);
    for (int i = 0; i < 60; ++i) {
      stage_map map;
      map.block = {static_cast<std::int64_t>(1 + random.below(60)), static_cast<std::int64_t>(1 + random.below(60))};
      map.region = {1 + static_cast<std::int64_t>(random.below(map.block.columns)),
                    1 + static_cast<std::int64_t>(random.below(map.block.rows))};
      map.group_columns = 1 + static_cast<std::int64_t>(random.below(std::min<std::int64_t>(3, map.block.columns)));
      map.group_rows = 1 + static_cast<std::int64_t>(random.below(std::min<std::int64_t>(3, map.block.rows)));
      map.attention_bands = std::int64_t{1} << random.below(7);
      const wafer::launch_arguments arguments{1, random.below(500), 2};
      const double widest = static_cast<double>(std::max(map.block.columns, map.block.rows));
      for (const auto& layer : model.plan) {
        const auto program = compile(layer, map, 1);
        for (const auto& op : layer.operations) {
          INFO(map.block.columns << " x " << map.block.rows << " block, " << map.region.columns << " x "
                                 << map.region.rows << " region, " << map.group_columns << " x " << map.group_rows
                                 << " groups, " << map.attention_bands << " bands, context " << arguments.context
                                 << ": " << layer.name << ", " << op.name);
          const double exact = plan::work_of(op, 1, arguments.context).macs;
          const double done = macs(program, arguments, op.name);
          CHECK(done >= exact * (1 - 1e-12));
          if (exact == 0) {
            CHECK(done == 0);
            continue;
          }
          // Each of the dimensions that are cut (inputs, outputs, heads, positions) grows by less than the cuts.
          double most = exact;
          for (const double extent :
               {double(op.kind == plan::op_kind::attention ? op.value_width : op.outputs), double(op.inputs),
                double(std::max(op.heads, op.copies)), double(arguments.context + 1)})
            most *= (extent + widest - 1) / extent;
          // Bands that do not divide the axis leave less than a band of its cores idle.
          if (op.kind == plan::op_kind::attention && map.attention_bands > 1) most *= 2;
          // Every group has a slice of the shared experts, however narrow, and left-over cores at its edges none.
          if (op.name.rfind("shared", 0) == 0) most *= double(map.groups());
          CHECK(done <= most);
        }
      }
    }
  }
}

TEST_CASE("weights are all there: a region's share, and experts padded to equal groups") {
  for (const auto& json : {descriptions::llama(), descriptions::deepseek_v3(), with_shared_experts(2)}) {
    const auto model = planned::from_text(json);
    for (const auto& layer : model.plan) {
      INFO(layer.name);
      const auto even = compile(layer, square_map(16, 4, 4, 2), 1).memory;  // 8 experts in 8 groups
      CHECK(even.region_weights + even.block_weights == plan::weight_bytes(layer));
      const auto padded = compile(layer, square_map(16, 4, 3, 1), 1).memory;  // 9 places for them
      base::bytes experts{0};
      for (const auto& op : layer.operations)
        if (op.kind == plan::op_kind::experts) experts += op.weight_bytes;
      CHECK((padded.region_weights + padded.block_weights).value() ==
            plan::weight_bytes(layer).value() + experts.value() / 8);
    }
  }
}

TEST_CASE("shared experts are cut over all groups: their time falls with the groups, for every token alike") {
  const auto model = planned::from_text(with_shared_experts(4));  // 4 x 32 wide
  const auto& layer = model.layer(1);
  wafer::launch_timing timing(large_wafer());
  const auto cycles = [&](const stage_map& map, const std::string& name, std::uint64_t tokens) {
    const auto program = compile(layer, map, tokens);
    double sum = 0;
    for (const auto& d : program.descriptors) {
      if (program.operations.at(d.operation) == name && d.op == wafer::opcode::vector)
        sum += timing.cost_of(d, {tokens, 0, 1}).cycles;
    }
    return sum;
  };
  // Groups of 4 x 4 cores. One group: 64 / 4 inputs, 256 / 4 outputs. Four: the same inputs, 64 / 4 outputs.
  CHECK(cycles(square_map(4, 4, 1, 1), "shared_gate_up", 1) == 16 * (10 + 32));
  CHECK(cycles(square_map(8, 4, 2, 2), "shared_gate_up", 1) == 16 * (10 + 8));
  CHECK(cycles(square_map(8, 4, 2, 2), "shared_down", 1) == 8 * (10 + 8));
  CHECK(cycles(square_map(8, 4, 2, 2), "shared_gate_up", 3) == 3 * 16 * (10 + 8));
}

TEST_CASE("the routed experts of a layer are those that are drawn") {
  const auto e = kernels::experts_of(planned::from_text(with_shared_experts(3)).layer(1));
  CHECK(e.routed == 8);
  CHECK(e.top_k == 2);
  CHECK_FALSE(kernels::experts_of(planned::from_text(descriptions::llama()).layer(0)));
}

TEST_CASE("every descriptor of a program can be run and belongs to an operation of the layer") {
  for (const char* name : {"llama-3.1-8b", "kimi-k2.6", "sol-estimate"}) {
    const auto model = planned::from_models(name);
    stage_map map;
    map.block = {755, 1170};
    map.region = {300, 500};
    map.group_columns = 10;
    map.group_rows = 12;
    const auto chip = wafer::find_wafer_preset("wse3")->config;
    for (const std::size_t stage : {std::size_t{0}, std::size_t{1}, std::size_t{2}, model.plan.size() - 1}) {
      const auto& layer = model.plan[stage];
      INFO(name << ", " << layer.name);
      const auto program = compile(layer, map, 16);
      REQUIRE(program.operations.size() == layer.operations.size() + 2);
      CHECK(program.operations.front() == "enter");
      CHECK(program.operations.back() == "leave");
      std::uint32_t last = 0;
      for (const auto& d : program.descriptors) {
        CHECK(wafer::can_run(d, chip));
        REQUIRE(d.operation < program.operations.size());
        CHECK(d.operation >= last);
        last = d.operation;
      }
    }
  }
}

TEST_CASE("weights wider than 16 bit are multiplied at the 32-bit rate") {
  const auto model = planned::from_text(descriptions::replaced(descriptions::llama(), "\"bfloat16\"", "\"float32\""));
  const auto program = compile(model.layer(0), square_map(16, 4), 1);
  for (const auto& d : program.descriptors) {
    if (program.operations.at(d.operation) == "o_proj" && d.op == wafer::opcode::vector) {
      CHECK(d.work == wafer::arithmetic::fma_fp32);
    }
  }
}

TEST_CASE("buffers hold two slices of the widest operation for the tokens of a tile, of attention for two tokens") {
  const auto model = planned::from_text(descriptions::llama());
  const auto buffers = [&](std::int64_t tile, std::uint64_t tokens) {
    stage_map map = square_map(16, 4);
    map.token_tile = tile;
    return compile(model.layer(0), map, tokens).memory.buffers_per_core.value();
  };
  // Gate and up together are the widest: 192 elements over 4 cores, 2 B each. Attention: 4 queries of 8 / 2 elements.
  CHECK(buffers(16, 1) == 2 * 2 * (48 + 16));
  CHECK(buffers(16, 7) == 2 * 2 * (7 * 48 + 2 * 16));
  // Longer passes keep the stream (64) and inputs and outputs of the widest operation (64 + 192) spread over 16 cores.
  CHECK(buffers(16, 160) == 2 * 2 * (16 * 48 + 2 * 16) + 2 * (64 + 256) * 160 / 16);
  CHECK(buffers(4, 160) == 2 * 2 * (4 * 48 + 2 * 16) + 2 * (64 + 256) * 160 / 16);
}

TEST_CASE("a wide scope of models has a kernel for each of its operations, with at least the work of the plan") {
  for (const char* name : {"deepseek-v4-pro", "nemotron-3-super", "kimi-k3", "gpt-oss-120b", "qwen3-235b"}) {
    const auto model = planned::from_models(name);
    stage_map map;
    map.block = {755, 1170};
    map.region = {300, 500};
    map.group_columns = 4;
    map.group_rows = 6;
    for (const auto& layer : model.plan) {
      const auto program = compile(layer, map, 16);
      for (const auto& op : layer.operations) {
        if (op.kind == plan::op_kind::attention) continue;  // window and compressed entries are weighed together
        INFO(name << ", " << layer.name << ", " << op.name);
        const double exact = plan::work_of(op, 1, 8192).macs;
        CHECK(macs(program, {1, 8192, 1}, op.name) >= exact * (1 - 1e-12));
      }
      INFO(name << ", " << layer.name);
      CHECK(macs(program, {1, 8192, 1}) >= plan::work_of(layer, 1, 8192).macs * (1 - 1e-12));
      // Slices of small operations are mostly padding on 300 x 500 cores; the layer as a whole is not.
      CHECK(macs(program, {1, 8192, 1}) <= 8 * plan::work_of(layer, 1, 8192).macs + 1e8);
    }
  }
}

TEST_CASE("a recurrence works on its state once a token, whatever the context, in place of a cache") {
  const auto model = planned::from_models("kimi-k3");
  stage_map map;
  map.block = map.region = {400, 600};
  wafer::launch_timing timing(wafer::find_wafer_preset("wse3")->config);
  const auto program = compile(model.layer(4), map, 1);
  double vector_cycles = 0, at_start = 0, at_end = 0;
  for (const auto& d : program.descriptors) {
    if (program.operations.at(d.operation) != "state_update") continue;
    at_start += timing.cost_of(d, {1, 0, 1}).cycles;
    at_end += timing.cost_of(d, {1, 1000000, 1}).cycles;
    if (d.op == wafer::opcode::vector) vector_cycles += timing.cost_of(d, {1, 0, 1}).cycles;
  }
  CHECK(at_start == at_end);
  // 600 / 128 = 4 heads one above the other, 24 beside each other on 16 columns: 8 keys x 1 value, four times over, at
  // half a multiply-accumulate a cycle.
  CHECK(vector_cycles == 16 + 8 * 4 / 0.5);
}

TEST_CASE("picked entries crowd: the fullest core has more than the mean and no more than all") {
  CHECK(kernels::most_picked_on_a_core(1024, 1) == 1024);
  CHECK(kernels::most_picked_on_a_core(1, 1000) == 1);
  const std::uint64_t seed = 20260812;
  INFO("seed " << seed);
  base::random_stream random(seed);
  for (const auto& [picked, cores] : {std::pair{1024, 600}, std::pair{1024, 16}, std::pair{2048, 4000}}) {
    const std::int64_t most = kernels::most_picked_on_a_core(picked, cores);
    CHECK(most > picked / cores);
    int fuller = 0;
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<int> held(static_cast<std::size_t>(cores), 0);
      for (int i = 0; i < picked; ++i)
        ++held[random.below(static_cast<std::uint64_t>(cores))];
      fuller += *std::max_element(held.begin(), held.end()) > most;
    }
    INFO(picked << " on " << cores << ": " << most);
    CHECK(fuller < 50);  // an estimate that one draw in four may pass, no strict bound
  }
}
