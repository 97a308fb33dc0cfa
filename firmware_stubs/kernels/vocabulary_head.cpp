#include "firmware_stubs/kernels/vocabulary_head.h"

#include <fmt/format.h>

#include <stdexcept>

#include "firmware_stubs/kernels/gemv.h"

namespace scribeline::kernels {

vocabulary_head::vocabulary_head(int vocabulary, const residual_stream& stream, address_counter& sram)
    : tokens(base::ceil_div(vocabulary, stream.columns)),
      norm_weights(sram.take(stream.elements)),
      weights(sram.take(stream.elements * tokens)),
      logits(sram.take(tokens)),
      choice(vocabulary, stream.columns, logits, sram) {
  if (stream.type != fabric::element_type::fp16)
    throw std::invalid_argument(fmt::format("logits of {}: tokens are chosen among fp16 ones", name(stream.type)));
}

std::vector<mesh_kernel> vocabulary_head::logits_kernels(const residual_stream& stream) const {
  return {stream.norm("final norm", norm_weights),
          gemv("head", {{stream.elements, tokens, weights, stream.normalised, logits, stream.type}},
               collectives::axis::column)};
}

std::vector<mesh_kernel> vocabulary_head::kernels(const residual_stream& stream, double temperature) const {
  std::vector<mesh_kernel> all = logits_kernels(stream);
  for (mesh_kernel& kernel : choice.kernels(temperature))
    all.push_back(std::move(kernel));
  return all;
}

}  // namespace scribeline::kernels
