// From a model to the operations of its layers.
#pragma once

#include <vector>

#include "firmware_stubs/model/model_spec.h"
#include "firmware_stubs/plan/operation.h"

namespace scribeline::plan {

// The stages of one forward pass, in order: embedding, layers 0 .. n-1, head (final norm, product with the
// vocabulary, sampling). The same plan serves decode and prefill.
//
// Latent attention is planned in its absorbed form: the queries are carried into the latent space (one matrix
// per head), scores and values are taken over the cached latents, and the result is carried out again. That is
// the cheap form for decode; a prefill that expands the latents instead does fewer multiply-accumulates.
// Attention beside the window and the compressed entries of DeepSeek-V4 are two operations of one softmax.
// Not planned: collectives and data movement (they belong to a machine), dropout, losses, vision towers.
std::vector<layer_plan> make_plan(const model::model_spec& model);

// The multi-token-prediction modules, each from the lookup of the last token to sampling; empty when the model
// has none. Embedding table and head are the model's (shared_weights). The join of hidden state and embedding is
// planned for one vector, also where the model has several residual streams.
std::vector<layer_plan> make_draft_plan(const model::model_spec& model);

}  // namespace scribeline::plan
