#include "firmware_stubs/kernels/layer_norm.h"

namespace scribeline::kernels {

using namespace fabric;

std::vector<mesh_kernel> layer_norm(const std::string& name, const layer_norm_slice& s, collectives::axis along) {
  const operand input = sram(s.input);
  const operand output = sram(s.output);
  const operand sum = sram(s.sum);
  const operand collected = sram(s.sum, 0);
  const reduction over_line{along, {s.type, 1, s.sum, opcode::add}};
  mesh_kernel mean;
  mean.name = name + " mean";
  mean.before = {copy(s.type, sum, constant(0), 1), add(s.type, collected, collected, input, s.elements)};
  mean.reduce = over_line;
  mean.after = {binary(opcode::multiply, s.type, sum, sum, constant(-1.0 / s.total), 1),
                multiply_add(s.type, output, input, constant(1), s.sum, s.elements)};
  mesh_kernel variance;
  variance.name = name + " variance";
  variance.before = {copy(s.type, sum, constant(0), 1),
                     binary(opcode::multiply_accumulate, s.type, collected, output, output, s.elements)};
  variance.reduce = over_line;
  variance.after = {binary(opcode::multiply, s.type, sum, sum, constant(1.0 / s.total), 1),
                    add(s.type, sum, sum, constant(s.epsilon), 1),
                    unary(opcode::reciprocal_root, s.type, sum, sum, 1),
                    multiply_add(s.type, output, constant(0), output, s.sum, s.elements),
                    binary(opcode::multiply, s.type, output, output, sram(s.weights), s.elements),
                    add(s.type, output, output, sram(s.bias), s.elements)};
  return {std::move(mean), std::move(variance)};
}

}  // namespace scribeline::kernels
