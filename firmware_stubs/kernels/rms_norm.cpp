#include "firmware_stubs/kernels/rms_norm.h"

namespace scribeline::kernels {

using namespace fabric;

mesh_kernel rms_norm(std::string name, const rms_norm_slice& s, collectives::axis along) {
  mesh_kernel kernel;
  kernel.name = std::move(name);
  const operand input = sram(s.input);
  const operand output = sram(s.output);
  const operand sum = sram(s.sum);
  kernel.before = {copy(s.type, sum, constant(0), 1),
                   binary(opcode::multiply_accumulate, s.type, sram(s.sum, 0), input, input, s.elements)};
  kernel.reduce = reduction{along, {s.type, 1, s.sum, opcode::add}};
  kernel.after = {binary(opcode::multiply, s.type, sum, sum, constant(1.0 / s.total), 1),
                  add(s.type, sum, sum, constant(s.epsilon), 1), unary(opcode::reciprocal_root, s.type, sum, sum, 1),
                  multiply_add(s.type, output, constant(0), input, s.sum, s.elements),
                  binary(opcode::multiply, s.type, output, output, sram(s.weights), s.elements)};
  return kernel;
}

}  // namespace scribeline::kernels
