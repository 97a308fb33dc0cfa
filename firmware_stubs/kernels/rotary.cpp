#include "firmware_stubs/kernels/rotary.h"

namespace scribeline::kernels {

using namespace fabric;

void add_rotary(std::vector<instruction>& body, const rotary_slice& s) {
  const int bytes = bytes_of(s.type);
  const int pairs = (s.elements + 1) / 2;
  const operand cosines = sram(s.cosines);
  const operand sines = sram(s.sines);
  const operand x_sines = sram(s.scratch);
  const operand y_sines = sram(s.scratch + pairs * bytes);
  const operand turned = sram(s.scratch + 2 * pairs * bytes);
  const auto multiply = [&](const operand& dst, const operand& a, const operand& b) {
    body.push_back(binary(opcode::multiply, s.type, dst, a, b, pairs));
  };
  for (int v = 0; v < s.vectors; ++v) {
    const int first = s.data + v * s.distance * bytes;
    const operand x = sram(first);
    const operand y = sram(first + (s.elements - pairs) * bytes);
    multiply(x_sines, x, sines);
    multiply(y_sines, y, sines);
    multiply(turned, x, cosines);
    body.push_back(binary(opcode::subtract, s.type, x, turned, y_sines, pairs));
    multiply(turned, y, cosines);
    body.push_back(add(s.type, y, turned, x_sines, pairs));
  }
}

}  // namespace scribeline::kernels
