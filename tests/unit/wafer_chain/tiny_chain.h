// A chain of small wafers that serves a model of a few layers.
#pragma once

#include <string>

#include "firmware_stubs/model/read_model.h"
#include "platforms/wafer_chain/chain_config.h"
#include "platforms/wafer_chain/chain_plan.h"
#include "tests/unit/model/descriptions.h"
#include "tests/unit/wafer/small_wafer.h"

namespace scribeline::platforms {

inline model::model_spec tiny_dense(int layers = 2) {
  return model::parse_model(descriptions::replaced(descriptions::llama(), "\"num_hidden_layers\": 2",
                                                   "\"num_hidden_layers\": " + std::to_string(layers)),
                            "tiny_dense.json");
}

inline model::model_spec tiny_experts() {
  return model::parse_model(descriptions::deepseek_v3(), "tiny_experts.json");
}

// 32 x 32 cores at 1 GHz with 4096 B for data each; one lane of 100 GbE, 1000 ns away.
inline chain_config tiny_chain(const model::model_spec& model) {
  chain_config c;
  c.model = model;
  c.wafer = wafer::small_wafer();
  c.wafer.columns = 32;
  c.wafer.rows = 32;
  c.wafer.sram_bytes_per_core = 4096 + c.wafer.code_bytes_per_core;
  c.link = wafer::small_link();
  c.load.prompt_tokens = 20;
  c.load.output_tokens = 5;
  c.load.chunk_tokens = 8;
  return c;
}

}  // namespace scribeline::platforms
