#include <catch2/catch.hpp>

#include "firmware_stubs/collectives/collective.h"
#include "firmware_stubs/kernels/kernel_program.h"
#include "firmware_stubs/kernels/routine.h"
#include "firmware_stubs/kernels/simulated_kernels.h"
#include "firmware_stubs/kernels/wafer_core.h"
#include "rtl_tlm/base/error.h"
#include "rtl_tlm/base/random.h"
#include "rtl_tlm/fabric/burst/burst_engine.h"
#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"
#include "rtl_tlm/wafer/launch_timing.h"

using namespace scribeline;
using namespace scribeline::kernels;
using fabric::engine_kind;

namespace {

wafer::wafer_config wse3() {
  return wafer::find_wafer_preset("wse3")->config;
}

wafer::descriptor vector(routine code, std::uint32_t a, std::uint32_t b, wafer::arithmetic kind,
                         std::uint16_t argument = 0) {
  wafer::descriptor d;
  d.routine = static_cast<std::uint16_t>(code);
  d.routine_argument = argument;
  d.extent_a = a;
  d.extent_b = b;
  d.work = kind;
  d.scaled_by = wafer::scale::tokens;
  d.operand_millibytes = 4000;
  return d;
}
wafer::descriptor product(std::uint32_t inputs, std::uint32_t outputs) {
  return vector(routine::product_over_a, inputs, outputs, wafer::arithmetic::fma_fp16);
}
wafer::descriptor communicate(wafer::opcode op, std::uint32_t line, std::uint32_t elements) {
  wafer::descriptor d;
  d.op = op;
  d.line = line;
  d.lines = 3;
  d.elements = elements;
  d.element_bytes = 4;
  return d;
}

std::vector<wafer::kernel_part> parts_of(const std::vector<wafer::descriptor>& descriptors,
                                         const wafer::launch_arguments& arguments = {}) {
  std::vector<wafer::kernel_part> parts;
  for (const auto& d : descriptors)
    parts.push_back({d, extents_of(d, arguments)});
  return parts;
}

double time_of(simulated_kernels& kernels, const std::vector<wafer::descriptor>& descriptors,
               const wafer::launch_arguments& arguments = {}) {
  auto parts = parts_of(descriptors, arguments);
  kernels.time(parts.data(), parts.size());
  double sum = 0;
  for (const auto& part : parts)
    sum += part.cycles;
  return sum;
}

// All lines of a region with all their work, as one program.
double whole_region(const wafer::wafer_config& config, engine_kind engine,
                    const std::vector<wafer::descriptor>& descriptors, int lines) {
  std::vector<fabric::instruction> work;
  communication what;
  for (const auto& d : descriptors) {
    if (d.op == wafer::opcode::vector) {
      for (const core_part& part : core_work(d, {}))
        work.insert(work.end(), part.body.begin(), part.body.end());
    } else {
      what = {d.op, static_cast<int>(words_of(d, extents_of(d, {}))), static_cast<int>(d.line),
              static_cast<int>(d.extent_a)};
    }
  }
  fabric::fabric_chip chip = config.chip;
  chip.core = core_of(config);
  const fabric::program p = kernel_program(chip, config.fabric, work, what, lines);
  const auto result =
      engine == engine_kind::burst ? fabric::burst_engine(p, chip).run() : fabric::wavelet_engine(p, chip).run();
  REQUIRE(result.outcome == fabric::run_outcome::finished);
  return static_cast<double>(collectives::cycles_between_marks(result).value() - chip.core.timestamp_cycles);
}

}  // namespace

TEST_CASE("one core and one line take the cycles of the whole region, at either fidelity") {
  const std::uint64_t seed = 20261203;
  INFO("seed " << seed);
  base::random_stream random(seed);
  // The set-up of an operation is that of the chip, so that one chip runs both parts.
  wafer::wafer_config config = wse3();
  config.vector.setup_cycles =
      static_cast<double>(config.chip.core.vector_setup_cycles + config.chip.core.loop_back_edge_cycles);
  for (const engine_kind engine : {engine_kind::burst, engine_kind::wavelet}) {
    simulated_kernels kernels(config, engine);
    for (int i = 0; i < 12; ++i) {
      const auto up_to = [&](std::uint64_t n) { return static_cast<std::uint32_t>(1 + random.below(n)); };
      const auto op = static_cast<wafer::opcode>(2 + i % 4);
      const std::vector<wafer::descriptor> descriptors = {
          vector(routine::norm_scale, up_to(40), 2, wafer::arithmetic::copy_fp16, 1), product(up_to(20), up_to(20)),
          vector(routine::packed_product_4, up_to(20), up_to(20), wafer::arithmetic::dequant_fma_fp16, 8),
          vector(routine::gate, up_to(30), 6, wafer::arithmetic::copy_fp16), communicate(op, 2 + up_to(30), up_to(60))};
      INFO("engine " << static_cast<int>(engine) << ", line " << descriptors.back().line << ", "
                     << descriptors.back().elements << " words, op " << static_cast<int>(op));
      CHECK(time_of(kernels, descriptors) == whole_region(config, engine, descriptors, 3));
    }
  }
}

// The output projection of a Sol layer on the region of 424 x 292 cores that the search chooses for it.
TEST_CASE("a whole region of a wafer takes the cycles of one core and one line") {
  wafer::wafer_config config = wse3();
  config.vector.setup_cycles =
      static_cast<double>(config.chip.core.vector_setup_cycles + config.chip.core.loop_back_edge_cycles);
  const std::vector<wafer::descriptor> descriptors = {product(25, 36), communicate(wafer::opcode::all_reduce, 424, 18)};
  simulated_kernels kernels(config, engine_kind::burst);
  CHECK(time_of(kernels, descriptors) == whole_region(config, engine_kind::burst, descriptors, 292));
}

TEST_CASE("distant cores are reduced to the middle of their line, near the closed form") {
  const wafer::wafer_config config = wse3();
  for (const engine_kind engine : {engine_kind::burst, engine_kind::wavelet}) {
    simulated_kernels kernels(config, engine);
    for (const auto& [line, distance, words] : {std::tuple{2, 30, 7}, std::tuple{3, 25, 90}, std::tuple{5, 11, 28}}) {
      wafer::descriptor d =
          communicate(wafer::opcode::reduce, static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(words));
      d.extent_a = static_cast<std::uint32_t>(distance);
      const double closed = wafer::closed_form_cycles(config.fabric, d.op, words, line, distance);
      INFO(line << " cores, " << distance << " apart, " << words << " words");
      CHECK(time_of(kernels, {d}) == Approx(closed).epsilon(0.15));
    }
  }
}

TEST_CASE("a product takes its set-ups, loop branches and elements") {
  wafer::wafer_config config = wse3();
  config.vector.setup_cycles = 16;
  config.vector.fma_fp16_per_cycle = 2;
  simulated_kernels kernels(config, engine_kind::burst);
  // 5 multiply-adds of 40 elements, 20 cycles each. Set-up 16 - 9, but two descriptors less where the sum stays; three
  // loop branches of 9 between four turns.
  CHECK(time_of(kernels, {product(5, 40)}) == 5 * 20 + 7 + 4 * 5 + 3 * 9);
  REQUIRE(kernels.kernels().size() == 1);
  CHECK(kernels.kernels()[0].vector_operations == 5);
  CHECK(kernels.kernels()[0].what == "product_over_a 5 x 40");
}

TEST_CASE("what a wafer_config says of its cores changes the time of the work that uses it") {
  const std::vector<wafer::descriptor> dense = {product(10, 60)};
  const std::vector<wafer::descriptor> packed = {
      vector(routine::packed_product_4, 10, 60, wafer::arithmetic::dequant_fma_fp16, 8)};
  const std::vector<wafer::descriptor> gate = {vector(routine::gate, 60, 6, wafer::arithmetic::copy_fp16)};
  wafer::descriptor wide = product(10, 60);
  wide.work = wafer::arithmetic::fma_fp32;
  const auto slower = [&](const std::vector<wafer::descriptor>& what, auto change) {
    wafer::wafer_config config = wse3();
    simulated_kernels before(config, engine_kind::burst);
    change(config);
    simulated_kernels after(config, engine_kind::burst);
    return time_of(after, what) - time_of(before, what);
  };
  const auto fma = [](wafer::wafer_config& c) { c.vector.fma_fp16_per_cycle /= 2; };
  CHECK(slower(dense, fma) > 0);
  CHECK(slower(packed, fma) > 0);
  CHECK(slower(gate, fma) == 0);
  CHECK(slower({wide}, [](wafer::wafer_config& c) { c.vector.fma_fp32_per_cycle /= 2; }) > 0);
  CHECK(slower(packed, [](wafer::wafer_config& c) { c.vector.dequant_fp16_per_cycle /= 2; }) > 0);
  CHECK(slower(gate, [](wafer::wafer_config& c) { c.vector.copy_fp16_per_cycle /= 2; }) > 0);
  CHECK(slower(dense, [](wafer::wafer_config& c) { c.vector.setup_cycles += 3; }) == 10 * 3);
  const auto ports = [](wafer::wafer_config& c) { c.vector.sram_bytes_per_cycle = 4; };
  for (const auto& what : {dense, packed, gate})
    CHECK(slower(what, ports) > 0);
  wafer::wafer_config config = wse3();
  config.vector.setup_cycles = 0;
  simulated_kernels at_once(config, engine_kind::burst);
  CHECK(time_of(at_once, dense) > 0);
  config.vector.fma_fp16_per_cycle = 1e-4;
  CHECK_THROWS_AS(simulated_kernels(config, engine_kind::burst), base::bad_input);
  config = wse3();
  config.fabric.hop_cycles = 0;
  CHECK_THROWS_AS(simulated_kernels(config, engine_kind::wavelet), base::bad_input);
  config = wse3();
  config.fabric.ramp_send_cycles = 400;
  CHECK_THROWS_AS(simulated_kernels(config, engine_kind::wavelet), base::bad_input);
}

TEST_CASE("work that the SRAM ports hold up is counted as theirs") {
  wafer::wafer_config config = wse3();
  const auto binds = [&] {
    simulated_kernels kernels(config, engine_kind::burst);
    auto parts = parts_of({product(10, 60), communicate(wafer::opcode::reduce, 8, 3)});
    kernels.time(parts.data(), parts.size());
    CHECK(parts[1].binds == wafer::bound_by::fabric);
    return parts[0].binds;
  };
  CHECK(binds() == wafer::bound_by::compute);
  config.vector.sram_bytes_per_cycle = 4;
  CHECK(binds() == wafer::bound_by::sram);
}

TEST_CASE("every full round of a pass takes what one takes") {
  simulated_kernels kernels(wse3(), engine_kind::burst);
  wafer::descriptor d = product(6, 9);
  d.token_tile = 16;
  const double one = time_of(kernels, {d}, {16, 0, 1});
  const double part = time_of(kernels, {d}, {5, 0, 1});
  const auto branch = static_cast<double>(wse3().chip.core.loop_back_edge_cycles);
  CHECK(time_of(kernels, {d}, {48, 0, 1}) == 3 * one + 2 * branch);
  CHECK(time_of(kernels, {d}, {53, 0, 1}) == 3 * one + part + 3 * branch);
  CHECK(time_of(kernels, {d}, {0, 0, 1}) == 0);
}

TEST_CASE("collectives of long vectors go in rounds, one core needs none, and a known one is not run again") {
  simulated_kernels kernels(wse3(), engine_kind::burst);
  using wafer::opcode;
  const double whole = kernels.collective_cycles(opcode::all_reduce, 4096, 10);
  const double rest = kernels.collective_cycles(opcode::all_reduce, 100, 10);
  CHECK(kernels.collective_cycles(opcode::all_reduce, 2 * 4096 + 100, 10) == 2 * whole + rest);
  CHECK(kernels.collective_cycles(opcode::reduce, 7, 1) == 0);
  CHECK(kernels.collectives().size() == 3);
  // The latency of a message as measured on silicon, without its begin timestamp: 33 + 2 hops + 1.125 words.
  CHECK(kernels.collective_cycles(opcode::transfer, 1, 10) == Approx(33 + 20 + 1.125).margin(8));
}

TEST_CASE("equal kernels are recorded once, in the order in which they were asked for") {
  simulated_kernels kernels(wse3(), engine_kind::burst);
  const std::vector<wafer::descriptor> one = {product(3, 4), communicate(wafer::opcode::reduce, 9, 4)};
  const double first = time_of(kernels, one);
  time_of(kernels, {product(3, 5)});
  CHECK(time_of(kernels, one) == first);
  REQUIRE(kernels.kernels().size() == 2);
  CHECK(kernels.kernels()[0].total() == first);
  CHECK(kernels.kernels()[0].what == "product_over_a 3 x 4, reduce of 4 words on 9");
}

TEST_CASE("every routine has work for a core, at both engines the same cycles") {
  simulated_kernels burst(wse3(), engine_kind::burst);
  simulated_kernels wavelet(wse3(), engine_kind::wavelet);
  for (std::uint16_t code = 0; code <= static_cast<std::uint16_t>(routine::pool); ++code) {
    for (const std::uint64_t tokens : {1u, 5u}) {
      const bool packed = code == static_cast<std::uint16_t>(routine::packed_product_4) ||
                          code == static_cast<std::uint16_t>(routine::packed_product_8);
      wafer::descriptor d = vector(static_cast<routine>(code), 24, 9,
                                   packed ? wafer::arithmetic::dequant_fma_fp16 : wafer::arithmetic::copy_fp16, 3);
      d.scaled_by |= wafer::scale::positions;
      d.positions_divisor = 4;
      INFO(describe(d, extents_of(d, {tokens, 60, 1})));
      const double cycles = time_of(burst, {d}, {tokens, 60, 1});
      CHECK(cycles > 0);
      CHECK(cycles == Approx(time_of(wavelet, {d}, {tokens, 60, 1})).epsilon(0.002));
    }
  }
}
