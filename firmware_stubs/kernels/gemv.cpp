#include "firmware_stubs/kernels/gemv.h"

#include <stdexcept>

#include "firmware_stubs/kernels/vector_loop.h"

namespace scribeline::kernels {

using namespace fabric;

void add_gemv(std::vector<instruction>& body, const gemv_tile& t, int unroll) {
  const int bytes = bytes_of(t.type);
  const operand output = sram(t.output);
  const auto step = [&](const operand& sum, const loop_index& i) {
    return multiply_add(t.type, output, sum, sram(i.at(t.weights, t.outputs * bytes)), i.at(t.input, bytes), t.outputs);
  };
  body.push_back(step(constant(0), {}));
  add_loop(body, 1, t.inputs - 1, unroll, [&](const loop_index& i) { return step(output, i); });
}

mesh_kernel gemv(std::string name, const std::vector<gemv_tile>& tiles, collectives::axis along, int unroll) {
  mesh_kernel kernel;
  kernel.name = std::move(name);
  collectives::vector_spec sums{tiles.front().type, 0, tiles.front().output, opcode::add};
  for (const gemv_tile& t : tiles) {
    if (t.output != sums.address + sums.bytes())
      throw std::invalid_argument(kernel.name + ": the outputs of products that share an all-reduce must lie together");
    add_gemv(kernel.before, t, unroll);
    sums.elements += t.outputs;
  }
  kernel.reduce = reduction{along, sums};
  return kernel;
}

}  // namespace scribeline::kernels
