#include "firmware_stubs/kernels/silu.h"

namespace scribeline::kernels {

using namespace fabric;

void add_logistic(std::vector<instruction>& body, element_type type, int output, int input, int elements) {
  const operand out = sram(output);
  body.push_back(binary(opcode::multiply, type, out, sram(input), constant(-1), elements));
  body.push_back(unary(opcode::exponential, type, out, out, elements));
  body.push_back(add(type, out, out, constant(1), elements));
  body.push_back(unary(opcode::reciprocal, type, out, out, elements));
}

void add_silu(std::vector<instruction>& body, element_type type, int output, int input, int elements) {
  add_logistic(body, type, output, input, elements);
  body.push_back(binary(opcode::multiply, type, sram(output), sram(output), sram(input), elements));
}

void add_silu_gate(std::vector<instruction>& body, const gate_slice& s) {
  add_silu(body, s.type, s.output, s.gate, s.elements);
  body.push_back(binary(opcode::multiply, s.type, sram(s.output), sram(s.output), sram(s.up), s.elements));
}

void add_logistic_gate(std::vector<instruction>& body, const gate_slice& s) {
  add_logistic(body, s.type, s.output, s.gate, s.elements);
  body.push_back(binary(opcode::multiply, s.type, sram(s.output), sram(s.output), sram(s.up), s.elements));
}

}  // namespace scribeline::kernels
