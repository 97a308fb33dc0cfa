#include "firmware_stubs/kernels/expert_choice.h"

namespace scribeline::kernels {

using namespace fabric;

namespace {

// Takes a chosen score out of the race; scores in 16 bit are far from it.
constexpr double out_of_the_race = -30000;

}  // namespace

void add_expert_choice(std::vector<instruction>& body, const expert_choice& c) {
  const int n = c.experts;
  const int bytes = bytes_of(c.type);
  const int first_best = c.best + bytes;
  const int handicap = c.best + 2 * bytes;
  const operand rest = sram(c.rest);
  const operand chosen = sram(c.weights);
  const auto add_maximum = [&] {
    body.push_back(copy(c.type, sram(c.best), rest, 1));
    body.push_back(binary(opcode::maximum, c.type, sram(c.best, 0), sram(c.best, 0), rest, n));
  };
  body.push_back(copy(c.type, rest, sram(c.scores), n));
  body.push_back(copy(c.type, sram(handicap), constant(out_of_the_race), 1));
  add_maximum();
  body.push_back(copy(c.type, sram(first_best), sram(c.best), 1));
  if (c.chosen > 1) {
    body.push_back(begin_loop{c.chosen - 1});
    body.push_back(binary(opcode::at_least, c.type, sram(c.hit), rest, sram(c.best, 0), n));
    body.push_back(multiply_add(c.type, rest, rest, sram(c.hit), handicap, n));
    add_maximum();
    body.push_back(end_loop{});
  }
  body.push_back(binary(opcode::at_least, c.type, chosen, sram(c.scores), sram(c.best, 0), n));
  body.push_back(multiply_add(c.type, rest, sram(c.scores), constant(-1), first_best, n));
  body.push_back(unary(opcode::exponential, c.type, rest, rest, n));
  body.push_back(binary(opcode::multiply, c.type, chosen, chosen, rest, n));
  body.push_back(copy(c.type, sram(c.best), constant(0), 1));
  body.push_back(add(c.type, sram(c.best, 0), sram(c.best, 0), chosen, n));
  body.push_back(unary(opcode::reciprocal, c.type, sram(c.best), sram(c.best), 1));
  body.push_back(multiply_add(c.type, chosen, constant(0), chosen, c.best, n));
}

}  // namespace scribeline::kernels
