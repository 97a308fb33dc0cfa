// What a language model is: the language part of a Hugging Face config.json, checked and unabridged.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware_stubs/model/layer_spec.h"
#include "firmware_stubs/model/quantization.h"

namespace scribeline::model {

// How a layer's output joins what flows from layer to layer.
struct residual_path {
  enum class kind {
    plain,            // one stream, added to
    hyper,            // `streams` parallel streams, mixed before and after each half of a layer
    depth_attention,  // each half of a layer attends to the outputs of earlier blocks of `block_layers` layers
  };
  kind how = kind::plain;
  std::uint32_t streams = 1;
  std::uint32_t block_layers = 0;
};

// One module that predicts tokens further ahead (multi-token prediction): it joins the hidden state and the
// next token's embedding, then runs its own layers. Embedding and head are the model's.
struct draft_module {
  std::vector<layer_spec> layers;
};

struct model_spec {
  std::string name;        // of the description: its file name without .json
  std::string model_type;  // of the language part
  std::uint32_t hidden_width = 0;
  std::uint32_t vocabulary = 0;
  std::uint32_t longest_context = 0;  // positions the model was made for; 0 = not said
  bool tied_embeddings = false;       // the head uses the embedding table
  std::vector<layer_spec> layers;
  std::vector<draft_module> drafts;
  residual_path residual;
  quantization weights;
  // Names in the checkpoint, as the quantiser's patterns see them.
  std::string layers_module = "model.layers";
  std::string head_module = "lm_head";
  std::vector<std::string> notes;  // what is not modelled, what was assumed

  std::uint32_t plain_bits() const { return weights.plain_bits(); }
  std::uint32_t cache_bits() const { return weights.cache_bits(); }
};

// The storage format of a weight of layer `index` ("self_attn.q_b_proj"), or of a module outside the layers.
weight_format format_of_layer_weight(const model_spec& model, std::uint32_t index, const std::string& module,
                                     weight_role role);
weight_format format_of_head(const model_spec& model);

}  // namespace scribeline::model
