#include "firmware_stubs/kernels/silu.h"

namespace scribeline::kernels {

using namespace fabric;

void add_silu_gate(std::vector<instruction>& body, const gate_slice& s) {
  const operand out = sram(s.output);
  const auto combine = [&](opcode op, const operand& a, const operand& b) {
    body.push_back(binary(op, s.type, out, a, b, s.elements));
  };
  combine(opcode::multiply, sram(s.gate), constant(-1));
  body.push_back(unary(opcode::exponential, s.type, out, out, s.elements));
  combine(opcode::add, out, constant(1));
  body.push_back(unary(opcode::reciprocal, s.type, out, out, s.elements));
  combine(opcode::multiply, out, sram(s.gate));
  combine(opcode::multiply, out, sram(s.up));
}

}  // namespace scribeline::kernels
