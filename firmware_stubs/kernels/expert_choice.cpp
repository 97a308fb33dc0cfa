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

// How many scores do not exceed an own one says how many exceed it.
void add_expert_rank(std::vector<instruction>& body, const expert_rank& r) {
  const int bytes = bytes_of(r.type);
  const operand scores = sram(r.scores);
  const operand hit = sram(r.hit);
  const operand count = sram(r.count);
  const operand weights = sram(r.weights);
  body.push_back(copy(r.type, count, constant(0), r.own));
  body.push_back(begin_loop{r.own});
  affine one_of_own = r.own_scores;
  one_of_own.per_iteration[0] = bytes;
  const operand one_count = sram(affine(r.count).with_iteration(bytes), 0);
  body.push_back(binary(opcode::at_least, r.type, hit, sram(one_of_own, 0), scores, r.experts));
  body.push_back(add(r.type, one_count, one_count, hit, r.experts));
  body.push_back(end_loop{});
  body.push_back(binary(opcode::at_least, r.type, count, count, constant(r.experts - r.chosen + 1), r.own));
  body.push_back(copy(r.type, sram(r.best), scores, 1));
  body.push_back(binary(opcode::maximum, r.type, sram(r.best, 0), sram(r.best, 0), scores, r.experts));
  body.push_back(multiply_add(r.type, weights, sram(r.own_scores), constant(-1), r.best, r.own));
  body.push_back(unary(opcode::exponential, r.type, weights, weights, r.own));
  body.push_back(binary(opcode::multiply, r.type, weights, weights, count, r.own));
  body.push_back(copy(r.type, sram(r.sum), constant(0), 1));
  body.push_back(add(r.type, sram(r.sum, 0), sram(r.sum, 0), weights, r.own));
}

void add_rank_division(std::vector<instruction>& body, const expert_rank& r) {
  body.push_back(unary(opcode::reciprocal, r.type, sram(r.sum), sram(r.sum), 1));
  body.push_back(multiply_add(r.type, sram(r.weights), constant(0), sram(r.weights), r.sum, r.own));
}

}  // namespace scribeline::kernels
