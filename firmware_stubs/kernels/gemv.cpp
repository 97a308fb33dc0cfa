#include "firmware_stubs/kernels/gemv.h"

#include <stdexcept>

namespace scribeline::kernels {

using namespace fabric;

void add_gemv(std::vector<instruction>& body, const gemv_tile& t) {
  const int bytes = bytes_of(t.type);
  const operand output = sram(t.output);
  for (int i = 0; i < t.inputs; ++i)
    body.push_back(multiply_add(t.type, output, i == 0 ? constant(0) : output, sram(t.weights + i * t.outputs * bytes),
                                t.input + i * bytes, t.outputs)
                       .keeping(i == 0 ? 0 : kept_in_sum));
}

mesh_kernel gemv(std::string name, const std::vector<gemv_tile>& tiles, collectives::axis along) {
  mesh_kernel kernel;
  kernel.name = std::move(name);
  collectives::vector_spec sums{tiles.front().type, 0, tiles.front().output, opcode::add};
  for (const gemv_tile& t : tiles) {
    if (t.output != sums.address + sums.bytes())
      throw std::invalid_argument(kernel.name + ": the outputs of products that share an all-reduce must lie together");
    add_gemv(kernel.before, t);
    sums.elements += t.outputs;
  }
  kernel.reduce = reduction{along, sums};
  return kernel;
}

}  // namespace scribeline::kernels
