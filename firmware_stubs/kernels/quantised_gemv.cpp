#include "firmware_stubs/kernels/quantised_gemv.h"

#include <fmt/format.h>

#include <stdexcept>

#include "firmware_stubs/kernels/gemv.h"

namespace scribeline::kernels {

using namespace fabric;

void add_quantised_gemv(std::vector<instruction>& body, const quantised_tile& t) {
  if (t.bits != 8 && t.bits != 4)
    throw std::invalid_argument(fmt::format("weights of {} bit: the kernel expands 8 or 4", t.bits));
  const int bytes = bytes_of(t.type);
  const opcode expand = t.bits == 8 ? opcode::expand_8_bit : opcode::expand_4_bit;
  body.push_back(copy(t.type, sram(t.output), constant(0), t.outputs));
  for (int i = 0; i < t.inputs; ++i) {
    const bool begins_group = i % t.group == 0;
    const bool ends_group = i % t.group == t.group - 1 || i == t.inputs - 1;
    body.push_back(unary(expand, t.type, sram(t.expanded), sram(t.weights + i * t.row_bytes()), t.outputs));
    body.push_back(multiply_add(t.type, sram(t.group_sum), begins_group ? constant(0) : sram(t.group_sum),
                                sram(t.expanded), t.input + i * bytes, t.outputs));
    if (ends_group)
      body.push_back(binary(opcode::multiply_accumulate, t.type, sram(t.output), sram(t.group_sum),
                            sram(t.scales + i / t.group * t.outputs * bytes), t.outputs));
  }
}

mesh_kernel quantised_gemv(std::string name, const quantised_tile& t, collectives::axis along) {
  mesh_kernel kernel;
  kernel.name = std::move(name);
  add_quantised_gemv(kernel.before, t);
  kernel.reduce = reduction{along, {t.type, t.outputs, t.output, opcode::add}};
  return kernel;
}

}  // namespace scribeline::kernels
