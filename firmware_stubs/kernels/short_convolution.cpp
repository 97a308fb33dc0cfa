#include "firmware_stubs/kernels/short_convolution.h"

#include <fmt/format.h>

#include <stdexcept>

#include "firmware_stubs/kernels/silu.h"

namespace scribeline::kernels {

using namespace fabric;

short_convolution::short_convolution(int channels_, int taps_, element_type type_, address_counter& sram)
    : channels(channels_), taps(taps_), type(type_) {
  if (taps < 2) throw std::invalid_argument(fmt::format("a convolution of {} taps: two at least", taps));
  weights = sram.take(taps * channels);
  bias = sram.take(channels);
  history = sram.take((taps - 1) * channels);
  sum = sram.take(channels);
}

void short_convolution::add(std::vector<instruction>& body, int address) const {
  const int line = channels * bytes_of(type);
  const int past = taps - 1;
  const auto accumulate = [&](int tap, int input) {
    body.push_back(
        binary(opcode::multiply_accumulate, type, sram(sum), sram(weights + tap * line), sram(input), channels));
  };
  body.push_back(copy(type, sram(sum), sram(bias), channels));
  for (int tap = 0; tap < past; ++tap)
    accumulate(tap, history + tap * line);
  accumulate(past, address);
  // One token on; elements are copied in order, so the two vectors may overlap this way.
  body.push_back(copy(type, sram(history), sram(history + line), (past - 1) * channels));
  body.push_back(copy(type, sram(history + (past - 1) * line), sram(address), channels));
  add_silu(body, type, address, sum, channels);
}

}  // namespace scribeline::kernels
