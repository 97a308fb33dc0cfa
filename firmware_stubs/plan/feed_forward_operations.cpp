// The operations of feed-forward parts: dense, and mixture of experts.
#include "firmware_stubs/plan/layer_builder.h"

namespace scribeline::plan {
namespace {

// Gate and up are planned as one product of twice the width; they are stored as two matrices.
void add_dense(layer_builder& build, const model::dense_feed_forward& ffn, const std::string& module) {
  const std::uint32_t hidden = build.model().hidden_width;
  matrix_shape up{hidden, ffn.gated ? 2 * ffn.width : ffn.width};
  up.matrices = ffn.gated ? 2 : 1;
  up.bias = ffn.bias;
  build.product(op_kind::projection, ffn.gated ? "gate_up_proj" : "up_proj", module + ".up_proj",
                model::weight_role::linear, up);
  build.elementwise(op_kind::activation, "activation", ffn.width);
  build.projection("down_proj", module, ffn.width, hidden, ffn.bias);
}

class expert_operations {
 public:
  expert_operations(layer_builder& build, const model::mixture_of_experts& moe, const std::string& module)
      : build_(build),
        moe_(moe),
        module_(module),
        hidden_(build.model().hidden_width),
        width_(moe.latent_width != 0 ? moe.latent_width : hidden_),
        sides_(moe.gated ? 2 : 1) {}

  // Routed and shared experts advance side by side.
  void add() {
    route();
    if (moe_.latent_width != 0) {
      build_.projection("latent_in_proj", module_, hidden_, width_).beside_previous = true;
      if (moe_.latent_norm) build_.norm("latent_norm", width_);
    }
    elementwise_per_expert(op_kind::dispatch, "dispatch", width_);
    routed("experts_gate_up", width_, sides_ * moe_.expert_width, sides_, ".experts.0.up_proj");
    shared("shared_gate_up", hidden_, sides_ * moe_.shared_width, sides_, ".shared_experts.up_proj");
    elementwise_per_expert(op_kind::activation, "experts_activation", moe_.expert_width);
    if (moe_.shared_width != 0)
      build_.elementwise(op_kind::activation, "shared_activation", moe_.shared_width).beside_previous = true;
    routed("experts_down", moe_.expert_width, width_, 1, ".experts.0.down_proj");
    shared("shared_down", moe_.shared_width, hidden_, 1, ".shared_experts.down_proj");
    elementwise_per_expert(op_kind::combine, "combine", width_);
    if (moe_.latent_width != 0) build_.projection("latent_out_proj", module_, width_, hidden_);
    if (moe_.shared_width != 0) build_.elementwise(op_kind::residual, "shared_add", hidden_);
  }

 private:
  void route() {
    operation& router = build_.product(op_kind::route, "router", model::plain_format(build_.model().plain_bits()),
                                       {hidden_, moe_.experts});
    router.outputs_everywhere = true;
    if (moe_.router_bias) build_.add_weights(router, moe_.experts);
    if (moe_.hashed) {
      matrix_shape row{1, moe_.active};
      row.copies = build_.model().vocabulary;
      build_.product(op_kind::embed, "expert_lookup", model::plain_format(32), row).beside_previous = true;
    }
    if (moe_.shared_gate) build_.unquantized_projection("shared_gate", hidden_, 1).beside_previous = true;
  }

  void elementwise_per_expert(op_kind kind, const std::string& name, std::uint32_t width) {
    operation& op = build_.elementwise(kind, name, width, moe_.experts);
    op.active_copies = moe_.active;
  }

  void routed(const std::string& name, std::uint32_t inputs, std::uint32_t outputs, std::uint32_t matrices,
              const std::string& tensor) {
    const matrix_shape shape{inputs, outputs, moe_.experts, moe_.active, matrices, moe_.expert_bias};
    build_.product(op_kind::experts, name, module_ + tensor, model::weight_role::routed_expert, shape);
  }

  void shared(const std::string& name, std::uint32_t inputs, std::uint32_t outputs, std::uint32_t matrices,
              const std::string& tensor) {
    if (moe_.shared_width == 0) return;
    matrix_shape shape{inputs, outputs};
    shape.matrices = matrices;
    build_.product(op_kind::projection, name, module_ + tensor, model::weight_role::linear, shape).beside_previous =
        true;
  }

  layer_builder& build_;
  const model::mixture_of_experts& moe_;
  const std::string& module_;
  std::uint32_t hidden_;
  std::uint32_t width_;  // of what the routed experts get
  std::uint32_t sides_;
};

}  // namespace

void add_feed_forward(layer_builder& build, const model::layer_spec& layer) {
  if (const auto* dense = std::get_if<model::dense_feed_forward>(&layer.ffn))
    add_dense(build, *dense, layer.ffn_module);
  if (const auto* moe = std::get_if<model::mixture_of_experts>(&layer.ffn))
    expert_operations(build, *moe, layer.ffn_module).add();
}

}  // namespace scribeline::plan
