#include "firmware_stubs/kernels/normed_gemv.h"

#include <stdexcept>

#include "firmware_stubs/kernels/rms_norm.h"

namespace scribeline::kernels {

using namespace fabric;

mesh_kernel normed_gemv(std::string name, const normed_tile& t, collectives::axis along) {
  const gemv_tile& g = t.product;
  if (t.sum != g.output + g.outputs * bytes_of(g.type))
    throw std::invalid_argument(name + ": the sum of squares must lie behind the outputs");
  mesh_kernel kernel;
  kernel.name = std::move(name);
  // Squares of the input; the root, which scales the outputs.
  const mesh_kernel norm = rms_norm("norm", {g.inputs, t.total, g.input, 0, g.output, t.sum, t.epsilon, g.type}, along);
  kernel.before = norm.before;
  add_gemv(kernel.before, g);
  kernel.reduce = reduction{along, {g.type, g.outputs + 1, g.output, opcode::add}};
  constexpr std::ptrdiff_t operations_of_root = 3;
  kernel.after.assign(norm.after.begin(), norm.after.begin() + operations_of_root);
  kernel.after.push_back(multiply_add(g.type, sram(g.output), constant(0), sram(g.output), t.sum, g.outputs));
  return kernel;
}

}  // namespace scribeline::kernels
