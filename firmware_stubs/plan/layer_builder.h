// Builds the operations of one stage, one call each. Private to the plan library.
#pragma once

#include <string>
#include <vector>

#include "firmware_stubs/model/model_spec.h"
#include "firmware_stubs/plan/operation.h"

namespace scribeline::plan {

// The matrices of a product. `matrices`: how many separately stored ones make up one copy (gate and up: 2).
struct matrix_shape {
  std::uint32_t inputs = 0;
  std::uint32_t outputs = 0;
  std::uint32_t copies = 1;
  std::uint32_t active_copies = 1;
  std::uint32_t matrices = 1;
  bool bias = false;
};

class layer_builder {
 public:
  layer_builder(const model::model_spec& model, std::uint32_t layer_index) : model_(model), index_(layer_index) {}

  // A product whose weight is `module` of this layer ("self_attn.o_proj") or has a format of its own.
  operation& product(op_kind kind, const std::string& name, const std::string& module, model::weight_role role,
                     const matrix_shape& shape);
  operation& product(op_kind kind, const std::string& name, const model::weight_format& format,
                     const matrix_shape& shape);
  operation& projection(const std::string& name, const std::string& module, std::uint32_t inputs, std::uint32_t outputs,
                        bool bias = false);
  operation& unquantized_projection(const std::string& name, std::uint32_t inputs, std::uint32_t outputs);

  // Elementwise work on `vectors` vectors of `width`; a norm has `width` weights unless weightless.
  operation& norm(const std::string& name, std::uint32_t width, std::uint32_t vectors = 1, bool weightless = false);
  operation& elementwise(op_kind kind, const std::string& name, std::uint32_t width, std::uint32_t vectors = 1);

  operation& append(const std::string& name, base::bytes entry);

  // Adds weights that are no matrix (biases, decay rates, sinks), stored unquantised.
  void add_weights(operation& op, std::uint64_t elements) const;
  base::bytes cache_bytes(std::uint64_t elements) const;

  const model::model_spec& model() const { return model_; }
  std::vector<operation> take() { return std::move(operations_); }

 private:
  operation& add(op_kind kind, const std::string& name);

  const model::model_spec& model_;
  std::uint32_t index_;
  std::vector<operation> operations_;
};

// Operations of the two halves of a layer, between the norm before and the residual after.
void add_mixer(layer_builder& build, const model::layer_spec& layer);
void add_feed_forward(layer_builder& build, const model::layer_spec& layer);

}  // namespace scribeline::plan
