// Where caches and states are: in the SRAM of the wafer whose layers they belong to, from token to token.
#include <catch2/catch.hpp>

#include "tests/unit/data_pipeline/tiny_pipeline.h"

using namespace scribeline;
using namespace scribeline::platforms;
using namespace scribeline::platforms::test;

namespace {

using snapshot = std::vector<std::vector<bytes>>;  // by block

snapshot kept_on(const tiny_pipeline& p, int wafer) {
  snapshot all;
  for (const auto& ranges : p.decoder.kept(wafer))
    all.push_back(
        kept_by(p.machine->wafers[static_cast<std::size_t>(wafer)].cores.engine(), p.decoder.spec().side, ranges));
  return all;
}

// Simulates until `tokens` are back.
void run_until(tiny_pipeline& p, std::size_t tokens) {
  p.machine->run(sc_core::sc_time(1, sc_core::SC_US), [&] { return p.machine->host.steps().size() >= tokens; });
}

std::size_t differences(const snapshot& a, const snapshot& b) {
  std::size_t count = 0;
  for (std::size_t block = 0; block < a.size(); ++block)
    for (std::size_t i = 0; i < a[block].size(); ++i)
      for (std::size_t byte = 0; byte + 1 < a[block][i].size(); byte += 2)
        count += a[block][i][byte] != b[block][i][byte] || a[block][i][byte + 1] != b[block][i][byte + 1] ? 1 : 0;
  return count;
}

// After every token each wafer keeps, bit for bit and core by core, what one mesh keeps for the same layers.
void check_kept(const tiny_decoder_spec& spec) {
  tiny_pipeline p(spec, 2, pipeline_config({5}, 6));
  one_mesh reference(spec);
  const auto by_block = reference.decoder.kept(0);
  for (std::size_t token = 0; token < 6; ++token) {
    run_until(p, token + 1);
    const kernels::token_step step = p.machine->host.steps()[token].step;
    reference.decode(step);
    std::size_t block = 0;
    std::size_t compared = 0;
    for (int wafer = 0; wafer < 2; ++wafer)
      for (const auto& blocks_bytes : kept_on(p, wafer)) {
        INFO("token " << token << ", wafer " << wafer << ", block " << block);
        CHECK((blocks_bytes == kept_by(reference.mesh.engine(), spec.side, by_block[block])));
        compared += blocks_bytes.size();
        ++block;
      }
    REQUIRE(block == by_block.size());
    REQUIRE(compared > 0);
  }
}

}  // namespace

TEST_CASE("after every token each wafer's SRAM keeps the cache of its own layers: grouped attention") {
  check_kept(grouped_dense());
}

TEST_CASE("after every token each wafer's SRAM keeps the cache of its own layers: latent attention") {
  check_kept(latent_experts());
}

TEST_CASE("after every token each wafer's SRAM keeps the state of its own layers") {
  check_kept(state_space_experts());
}

TEST_CASE("a token adds one position to the second wafer's cache and touches no other") {
  tiny_pipeline p(grouped_dense(), 2, pipeline_config({5}, 5));
  run_until(p, 3);
  const snapshot before = kept_on(p, 1);
  run_until(p, 4);
  // On the 16 cores of a row: 2 elements of a key, 2 of a value, one of the mask.
  const std::size_t changed = differences(before, kept_on(p, 1));
  CHECK(changed <= 16 * 5);
  CHECK(changed > 16 * 4);  // a few keys or values may be zero, as what was there before
}

TEST_CASE("without its cache the second wafer answers otherwise: it lies there and nowhere else") {
  const tiny_decoder_spec spec = grouped_dense();
  tiny_pipeline p(spec, 2, pipeline_config({5}, 4));
  run_until(p, 3);
  one_mesh reference(spec);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK((p.machine->host.steps()[i].vector == reference.decode(p.machine->host.steps()[i].step)));
  fabric::wavelet_engine& second = p.machine->wafers[1].cores.engine();
  for (const auto& ranges : p.decoder.kept(1))
    for (std::size_t r = 0; r + 1 < ranges.size(); ++r)  // keys and values; the mask stays
      for (int row = 0; row < spec.side; ++row)
        for (int column = 0; column < spec.side; ++column)
          second.write_vector({column, row}, ranges[r].address, fabric::element_type::fp16,
                              std::vector<double>(static_cast<std::size_t>(ranges[r].elements), 0));
  run_until(p, 4);
  const host_step& last = p.machine->host.steps()[3];
  CHECK_FALSE((last.vector == reference.decode(last.step)));
}
