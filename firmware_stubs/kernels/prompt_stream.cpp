#include "firmware_stubs/kernels/prompt_stream.h"

#include <algorithm>

#include "firmware_stubs/kernels/rms_norm.h"

namespace scribeline::kernels {

using namespace fabric;

prompt_stream::prompt_stream(int width, int most_tokens, int side_, element_type type_, double epsilon_,
                             address_counter& sram)
    : total(width),
      side(side_),
      type(type_),
      epsilon(epsilon_),
      tokens(base::ceil_div(most_tokens, side_)),
      elements(base::ceil_div(width, side_)),
      activation(sram.take(elements * tokens)),
      normalised(sram.take(elements * tokens)),
      projected(sram.take(elements * tokens)),
      sums_(sram.take(tokens)) {}

void prompt_stream::reserve(int elements_along_rows, int elements_along_columns) {
  most_along_rows_ = std::max(most_along_rows_, elements_along_rows);
  most_along_columns_ = std::max(most_along_columns_, elements_along_columns);
}

void prompt_stream::take_buffers(address_counter& sram) {
  const int first = sram.take(most_along_rows_);
  along_rows_ = first;
  for (int buffer = 1; buffer < 3; ++buffer)
    sram.take(most_along_rows_);
  along_columns_ = sram.take(most_along_columns_);
  for (int buffer = 1; buffer < 3; ++buffer)
    sram.take(most_along_columns_);
}

mesh_kernel prompt_stream::norm(std::string name, int weights) const {
  rms_norm_tile tile;
  tile.vectors = tokens;
  tile.elements = elements;
  tile.total = total;
  tile.input = activation;
  tile.weights = weights;
  tile.output = normalised;
  tile.sums = sums_;
  tile.epsilon = epsilon;
  tile.type = type;
  return rms_norm(std::move(name), tile, collectives::axis::row);
}

std::vector<mesh_step> prompt_stream::product(const std::string& name, int inputs, int outputs, int input, int weights,
                                              int output, const fabric_chip& chip,
                                              const gemm_schedule& schedule) const {
  gemm_tiles t = lay_out_gemm(tokens, inputs, outputs, type);
  t.a = along_rows_;
  t.b = along_columns_;
  t.c = output;
  mesh_kernel load;
  load.name = name + " operands";
  load.before = {copy(type, sram(t.a), sram(input), tokens * inputs),
                 copy(type, sram(t.b), sram(weights), inputs * outputs)};
  gemm_schedule aligning = schedule;
  aligning.align_a = true;
  program multiply = mesh_gemm(chip, side, t, aligning);
  multiply.name = name;
  return {std::move(load), std::move(multiply)};
}

mesh_kernel prompt_stream::add_projected(std::string name) const {
  mesh_kernel kernel;
  kernel.name = std::move(name);
  kernel.before.push_back(add(type, sram(activation), sram(activation), sram(projected), elements * tokens));
  return kernel;
}

}  // namespace scribeline::kernels
