#include "firmware_stubs/model/layer_spec.h"

namespace scribeline::model {
namespace {

struct kind_of_mixer {
  attention_kind operator()(const no_attention&) const { return attention_kind::none; }
  attention_kind operator()(const grouped_attention& a) const {
    if (a.reach == grouped_attention::span::sliding_window) return attention_kind::sliding_window;
    if (a.reach == grouped_attention::span::chunk) return attention_kind::chunked;
    return attention_kind::grouped;
  }
  attention_kind operator()(const latent_attention& a) const {
    return a.index ? attention_kind::latent_sparse : attention_kind::latent;
  }
  attention_kind operator()(const compressed_attention&) const { return attention_kind::compressed_sparse; }
  attention_kind operator()(const delta_attention& a) const {
    return a.forgetting == delta_attention::decay::per_head ? attention_kind::gated_delta : attention_kind::kimi_delta;
  }
  attention_kind operator()(const mamba2&) const { return attention_kind::mamba2; }
};

}  // namespace

attention_kind kind_of(const token_mixer& mixer) {
  return std::visit(kind_of_mixer{}, mixer);
}

const char* to_string(attention_kind kind) {
  switch (kind) {
    case attention_kind::none:
      return "none";
    case attention_kind::grouped:
      return "grouped";
    case attention_kind::sliding_window:
      return "sliding window";
    case attention_kind::chunked:
      return "chunked";
    case attention_kind::latent:
      return "latent";
    case attention_kind::latent_sparse:
      return "latent sparse";
    case attention_kind::compressed_sparse:
      return "compressed sparse";
    case attention_kind::gated_delta:
      return "gated delta";
    case attention_kind::kimi_delta:
      return "Kimi delta";
    case attention_kind::mamba2:
      return "Mamba-2";
  }
  return "?";
}

feed_forward_kind kind_of(const feed_forward& part) {
  if (std::holds_alternative<dense_feed_forward>(part)) return feed_forward_kind::dense;
  if (std::holds_alternative<mixture_of_experts>(part)) return feed_forward_kind::mixture_of_experts;
  return feed_forward_kind::none;
}

const char* to_string(feed_forward_kind kind) {
  switch (kind) {
    case feed_forward_kind::none:
      return "none";
    case feed_forward_kind::dense:
      return "dense";
    case feed_forward_kind::mixture_of_experts:
      return "mixture of experts";
  }
  return "?";
}

}  // namespace scribeline::model
