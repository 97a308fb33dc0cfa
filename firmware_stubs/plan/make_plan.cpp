#include "firmware_stubs/plan/make_plan.h"

#include <fmt/format.h>

#include "firmware_stubs/plan/layer_builder.h"

namespace scribeline::plan {
namespace {

using model::residual_path;

// Vectors a token's depth attention looks at in a layer: the embedding, the finished blocks and the running one.
std::uint32_t depth_sources(const residual_path& path, std::uint32_t layer) {
  return 2 + layer / path.block_layers;
}

// Before and after each half of a layer the streams are read into one vector and written back. The mixing
// weights come from all streams together: reading, writing and a streams x streams mix, in 32 bit.
void add_residual_read(layer_builder& build, const std::string& half, std::uint32_t layer) {
  const residual_path& path = build.model().residual;
  const std::uint32_t hidden = build.model().hidden_width;
  if (path.how == residual_path::kind::hyper) {
    matrix_shape mix{path.streams * hidden, (2 + path.streams) * path.streams};
    mix.bias = true;
    build.product(op_kind::projection, half + "_stream_mix", model::plain_format(32), mix).outputs_everywhere = true;
    build.elementwise(op_kind::residual, half + "_stream_read", hidden, path.streams);
  }
  if (path.how == residual_path::kind::depth_attention) {
    const std::uint32_t sources = depth_sources(path, layer);
    operation& op = build.elementwise(op_kind::residual, half + "_depth_mix", hidden, sources);
    build.add_weights(op, 2 * std::uint64_t{hidden});  // the query and the norm of the sources
    op.macs_per_token = 2.0 * sources * hidden;
  }
}

void add_residual_write(layer_builder& build, const std::string& half) {
  const residual_path& path = build.model().residual;
  const std::uint32_t hidden = build.model().hidden_width;
  build.elementwise(op_kind::residual, half + "_residual", hidden, path.streams);
}

// Elements that flow on after `layer` layers.
std::uint64_t flow_width(const model::model_spec& model, std::uint32_t layer) {
  const residual_path& path = model.residual;
  if (layer == 0) return model.hidden_width;
  if (path.how == residual_path::kind::hyper) return std::uint64_t{model.hidden_width} * path.streams;
  if (path.how == residual_path::kind::depth_attention)
    return std::uint64_t{model.hidden_width} * depth_sources(path, layer);
  return model.hidden_width;
}

void add_layer(layer_builder& build, const model::layer_spec& layer) {
  const std::uint32_t hidden = build.model().hidden_width;
  if (model::kind_of(layer.mixer) != model::attention_kind::none) {
    add_residual_read(build, "attention", layer.index);
    build.norm("attention_norm", hidden);
    add_mixer(build, layer);
    add_residual_write(build, "attention");
  }
  if (model::kind_of(layer.ffn) != model::feed_forward_kind::none) {
    add_residual_read(build, "ffn", layer.index);
    build.norm("ffn_norm", hidden);
    add_feed_forward(build, layer);
    add_residual_write(build, "ffn");
  }
}

operation& add_embedding(layer_builder& build) {
  matrix_shape row{1, build.model().hidden_width};
  row.copies = build.model().vocabulary;
  return build.product(op_kind::embed, "embed_tokens", model::plain_format(build.model().plain_bits()), row);
}

// Returns the product with the vocabulary.
void add_head(layer_builder& build, bool shared_weights) {
  const model::model_spec& model = build.model();
  const residual_path& path = model.residual;
  if (path.how == residual_path::kind::hyper) {
    matrix_shape mix{path.streams * model.hidden_width, path.streams};
    mix.bias = true;
    build.product(op_kind::projection, "head_stream_mix", model::plain_format(32), mix).outputs_everywhere = true;
    build.elementwise(op_kind::residual, "head_stream_read", model.hidden_width, path.streams);
  } else {
    add_residual_read(build, "head", static_cast<std::uint32_t>(model.layers.size()));
  }
  build.norm("final_norm", model.hidden_width);
  build.product(op_kind::head, "lm_head", model::format_of_head(model), {model.hidden_width, model.vocabulary})
      .shared_weights = shared_weights;
  build.elementwise(op_kind::sample, "sample", model.vocabulary);
}

layer_plan stage(const std::string& name, layer_plan::stage what, int index, layer_builder& build) {
  layer_plan plan;
  plan.name = name;
  plan.what = what;
  plan.layer_index = index;
  plan.operations = build.take();
  return plan;
}

}  // namespace

std::vector<layer_plan> make_plan(const model::model_spec& model) {
  std::vector<layer_plan> plan;
  layer_builder table(model, 0);
  add_embedding(table);
  plan.push_back(stage("embedding", layer_plan::stage::embedding, -1, table));
  plan.back().input_elements = 1;
  plan.back().output_elements = flow_width(model, 0);

  for (const model::layer_spec& layer : model.layers) {
    layer_builder build(model, layer.index);
    add_layer(build, layer);
    plan.push_back(
        stage(fmt::format("layer {}", layer.index), layer_plan::stage::layer, static_cast<int>(layer.index), build));
    plan.back().input_elements = flow_width(model, layer.index);
    plan.back().output_elements = flow_width(model, layer.index + 1);
  }

  layer_builder head(model, 0);
  add_head(head, model.tied_embeddings);
  plan.push_back(stage("head", layer_plan::stage::head, -1, head));
  plan.back().input_elements = flow_width(model, static_cast<std::uint32_t>(model.layers.size()));
  plan.back().output_elements = 1;
  return plan;
}

std::vector<layer_plan> make_draft_plan(const model::model_spec& model) {
  std::vector<layer_plan> plan;
  for (const model::draft_module& module : model.drafts) {
    const std::uint32_t index = module.layers.front().index;
    layer_builder build(model, index);
    add_embedding(build).shared_weights = true;
    build.norm("embedding_norm", model.hidden_width);
    build.norm("hidden_norm", model.hidden_width).beside_previous = true;
    build.unquantized_projection("join_proj", 2 * model.hidden_width, model.hidden_width);
    for (const model::layer_spec& layer : module.layers)
      add_layer(build, layer);
    add_head(build, true);
    plan.push_back(
        stage(fmt::format("draft {}", plan.size()), layer_plan::stage::draft, static_cast<int>(index), build));
    plan.back().input_elements = flow_width(model, static_cast<std::uint32_t>(model.layers.size()));
    plan.back().output_elements = plan.back().input_elements;
  }
  return plan;
}

}  // namespace scribeline::plan
