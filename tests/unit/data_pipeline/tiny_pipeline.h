// Tiny decoders over one mesh and over several wafers.
#pragma once

#include <algorithm>
#include <memory>

#include "firmware_stubs/tiny_model/tiny_decoder.h"
#include "platforms/data_pipeline/data_pipeline.h"
#include "rtl_tlm/wafer/wafer_link.h"

namespace scribeline::platforms::test {

using bytes = std::vector<std::uint8_t>;
using tiny_model::feed_forward;
using tiny_model::mixer;
using tiny_model::tiny_decoder;
using tiny_model::tiny_decoder_spec;

// The errors of a hundred roundings to fp16, see test_tiny_transformer.
constexpr double tolerance = 0.03;
constexpr double near_call = 0.004;

inline fabric::fabric_chip chip() {
  return fabric::wse2_chip();
}

inline tiny_decoder_spec model_of(const std::vector<tiny_model::tiny_layer>& layers, std::uint64_t seed = 7) {
  tiny_decoder_spec spec;
  spec.layers = layers;
  spec.seed = seed;
  return spec;
}
// Seeds with which no expert is chosen by less than near_call.
inline tiny_decoder_spec grouped_dense() {
  return model_of({{mixer::grouped_attention, feed_forward::dense}, {mixer::grouped_attention, feed_forward::dense}});
}
inline tiny_decoder_spec latent_experts() {
  return model_of({{mixer::latent_attention, feed_forward::dense}, {mixer::latent_attention, feed_forward::experts}},
                  11);
}
inline tiny_decoder_spec state_space_experts() {
  return model_of({{mixer::state_space, feed_forward::experts}, {mixer::state_space, feed_forward::dense}}, 17);
}

inline int greedy(const bytes& logits) {
  const tiny_model::vector numbers = tiny_model::numbers_of(logits);
  return static_cast<int>(std::max_element(numbers.begin(), numbers.end()) - numbers.begin());
}

// The same decoder on a single mesh, without links and simulated time.
struct one_mesh {
  explicit one_mesh(const tiny_decoder_spec& spec)
      : decoder(spec, 1, chip().sram_bytes), stage(decoder.stage(0)), mesh(chip(), spec.side, spec.side) {
    stage.load(mesh);
  }
  bytes decode(const kernels::token_step& step) {
    mesh.run(stage.kernels(step));
    mesh.run(exit_program(stage.leaves, chip(), stage.columns, stage.rows));
    return bytes_that_left(mesh.engine(), stage.leaves, stage.columns, stage.rows);
  }

  tiny_decoder decoder;
  kernels::mesh_stage stage;
  kernels::mesh_machine mesh;
};

inline data_pipeline_config pipeline_config(const std::vector<int>& prompt, int generated) {
  return {{{chip(), base::frequency{0.85}}, {}, 200}, wafer::wafer_link(), {prompt, generated, greedy}};
}

struct tiny_pipeline {
  tiny_pipeline(const tiny_decoder_spec& spec, int wafers, const data_pipeline_config& config,
                const std::string& name = "pipeline")
      : decoder(spec, wafers, chip().sram_bytes) {
    std::vector<kernels::mesh_stage> stages;
    for (int w = 0; w < wafers; ++w)
      stages.push_back(decoder.stage(w));
    machine = std::make_unique<data_pipeline>(name.c_str(), config, stages);
  }
  void run() { machine->run(sc_core::sc_time(1, sc_core::SC_MS)); }

  tiny_decoder decoder;
  std::unique_ptr<data_pipeline> machine;
};

// What a block keeps between tokens, of every core.
inline std::vector<bytes> kept_by(const fabric::wavelet_engine& engine, int side,
                                  const std::vector<tiny_model::sram_range>& ranges) {
  std::vector<bytes> all;
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column)
      for (const auto& range : ranges) {
        all.emplace_back(static_cast<std::size_t>(range.elements) * 2);
        engine.read_sram({column, row}, range.address, all.back().data(), range.elements * 2);
      }
  return all;
}

}  // namespace scribeline::platforms::test
