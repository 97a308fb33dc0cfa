// Weights of 8 and 4 bit as the datapath expands them: packed from the low end of 16-bit elements on.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace scribeline::kernels::test {

// A two's complement number of `bits` for input i and output o of a whole matrix.
inline int stored(int i, int o, int bits) {
  const int range = 1 << bits;
  return (37 * i + 11 * o + i * o) % range - range / 2;
}

// A row of `outputs` numbers as elements of int16.
inline std::vector<double> packed(int outputs, int bits, const std::function<int(int)>& number) {
  std::vector<double> row;
  const int per_element = 16 / bits;
  for (int first = 0; first < outputs; first += per_element) {
    unsigned element = 0;
    for (int k = 0; k < per_element && first + k < outputs; ++k)
      element |= (static_cast<unsigned>(number(first + k)) & ((1u << bits) - 1u)) << (k * bits);
    row.push_back(static_cast<std::int16_t>(element));
  }
  return row;
}

}  // namespace scribeline::kernels::test
