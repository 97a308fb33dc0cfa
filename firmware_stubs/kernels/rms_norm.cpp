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

mesh_kernel rms_norm(std::string name, const rms_norm_tile& t, collectives::axis along) {
  mesh_kernel kernel;
  kernel.name = std::move(name);
  const int bytes = bytes_of(t.type);
  const auto element = [&](int address, int e) { return sram(address + e * t.vectors * bytes); };
  const operand sums = sram(t.sums);
  kernel.before.push_back(copy(t.type, sums, constant(0), t.vectors));
  for (int e = 0; e < t.elements; ++e)
    kernel.before.push_back(
        binary(opcode::multiply_accumulate, t.type, sums, element(t.input, e), element(t.input, e), t.vectors));
  kernel.reduce = reduction{along, {t.type, t.vectors, t.sums, opcode::add}};
  kernel.after = {binary(opcode::multiply, t.type, sums, sums, constant(1.0 / t.total), t.vectors),
                  add(t.type, sums, sums, constant(t.epsilon), t.vectors),
                  unary(opcode::reciprocal_root, t.type, sums, sums, t.vectors)};
  for (int e = 0; e < t.elements; ++e) {
    const operand output = element(t.output, e);
    kernel.after.push_back(binary(opcode::multiply, t.type, output, element(t.input, e), sums, t.vectors));
    kernel.after.push_back(multiply_add(t.type, output, constant(0), output, t.weights + e * bytes, t.vectors));
  }
  return kernel;
}

}  // namespace scribeline::kernels
