#include "firmware_stubs/kernels/prompt_stream.h"

#include <algorithm>
#include <stdexcept>

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
  if (along_rows_ >= 0) throw std::logic_error("blocks of a prompt are made before take_buffers()");
  most_along_rows_ = std::max(most_along_rows_, elements_along_rows);
  most_along_columns_ = std::max(most_along_columns_, elements_along_columns);
}

void prompt_stream::take_buffers(address_counter& sram) {
  const auto take_three = [&sram](int elements_each) {
    const int first = sram.take(elements_each);
    sram.take(elements_each);
    sram.take(elements_each);
    return first;
  };
  along_rows_ = take_three(most_along_rows_);
  along_columns_ = take_three(most_along_columns_);
}

int prompt_stream::taken(int address) {
  if (address < 0) throw std::logic_error("products of a prompt need take_buffers()");
  return address;
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
  t.a = buffers_along_rows();
  t.b = buffers_along_columns();
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
