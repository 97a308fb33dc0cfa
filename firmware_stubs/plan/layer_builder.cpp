#include "firmware_stubs/plan/layer_builder.h"

namespace scribeline::plan {

operation& layer_builder::add(op_kind kind, const std::string& name) {
  operation op;
  op.kind = kind;
  op.name = name;
  op.format = model::plain_format(model_.plain_bits());
  operations_.push_back(op);
  return operations_.back();
}

void layer_builder::add_weights(operation& op, std::uint64_t elements) const {
  op.weight_elements += elements;
  op.weight_bytes += model::stored_bytes(model::plain_format(model_.plain_bits()), elements, 1);
}

base::bytes layer_builder::cache_bytes(std::uint64_t elements) const {
  return model::stored_bytes(model::plain_format(model_.cache_bits()), elements, 1);
}

operation& layer_builder::product(op_kind kind, const std::string& name, const model::weight_format& format,
                                  const matrix_shape& shape) {
  operation& op = add(kind, name);
  op.inputs = shape.inputs;
  op.outputs = shape.outputs;
  op.copies = shape.copies;
  op.active_copies = shape.active_copies;
  op.format = format;
  op.weight_elements = std::uint64_t{shape.inputs} * shape.outputs * shape.copies;
  op.weight_bytes = model::stored_bytes(format, shape.inputs, shape.outputs / shape.matrices,
                                        std::uint64_t{shape.copies} * shape.matrices);
  if (shape.bias) add_weights(op, std::uint64_t{shape.outputs} * shape.copies);
  return op;
}

operation& layer_builder::product(op_kind kind, const std::string& name, const std::string& module,
                                  model::weight_role role, const matrix_shape& shape) {
  return product(kind, name, model::format_of_layer_weight(model_, index_, module, role), shape);
}

operation& layer_builder::projection(const std::string& name, const std::string& module, std::uint32_t inputs,
                                     std::uint32_t outputs, bool bias) {
  matrix_shape shape{inputs, outputs};
  shape.bias = bias;
  return product(op_kind::projection, name, module + "." + name, model::weight_role::linear, shape);
}

operation& layer_builder::unquantized_projection(const std::string& name, std::uint32_t inputs, std::uint32_t outputs) {
  return product(op_kind::projection, name, model::plain_format(model_.plain_bits()), {inputs, outputs});
}

operation& layer_builder::norm(const std::string& name, std::uint32_t width, std::uint32_t vectors, bool weightless) {
  operation& op = elementwise(op_kind::norm, name, width, vectors);
  if (!weightless) add_weights(op, width);
  return op;
}

operation& layer_builder::elementwise(op_kind kind, const std::string& name, std::uint32_t width,
                                      std::uint32_t vectors) {
  operation& op = add(kind, name);
  op.inputs = width;
  op.outputs = width;
  op.copies = vectors;
  op.active_copies = vectors;
  return op;
}

operation& layer_builder::append(const std::string& name, base::bytes entry) {
  operation& op = add(op_kind::cache_append, name);
  op.cache_entry_bytes = entry;
  return op;
}

}  // namespace scribeline::plan
