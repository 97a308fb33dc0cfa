#include "firmware_stubs/kernels/token_choice.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "rtl_tlm/base/random.h"

namespace scribeline::kernels {

using namespace fabric;
using collectives::axis;

namespace {

constexpr element_type half = element_type::int16;
constexpr element_type whole = element_type::int32;
constexpr int most_tokens = 32768;
// Far below every logit; fp16 ends at 65504.
constexpr double never = -60000;

// 16-bit integers in the order of fp16 numbers: their bits, with negative ones turned round.
//   bits >= 0: bits; otherwise -32768 - bits. With s = bits >= 0 both are -32768 - bits + s (2 bits + 32768), which
//   wraps as it should.
void add_keys(std::vector<instruction>& body, const token_choice& t) {
  const operand bits = sram(t.logits);
  const operand keys = sram(t.keys);
  const operand turned = sram(t.turned);
  const auto combine = [&](opcode op, const operand& dst, const operand& a, const operand& b) {
    body.push_back(binary(op, half, dst, a, b, t.tokens));
  };
  combine(opcode::at_least, keys, bits, constant(0));
  combine(opcode::multiply, turned, bits, constant(2));
  combine(opcode::add, turned, turned, constant(-32768));
  combine(opcode::multiply, keys, keys, turned);
  combine(opcode::subtract, keys, keys, bits);
  combine(opcode::add, keys, keys, constant(-32768));
}

// The word of the core's largest logit: its key above, its counter below; then the column's counter instead.
void add_own_choice(std::vector<instruction>& body, const token_choice& t) {
  body.push_back(copy(half, sram(t.words, 2), sram(t.order), t.tokens));
  body.push_back(copy(half, sram(t.words + 2, 2), sram(t.keys), t.tokens));
  body.push_back(copy(whole, sram(t.best), sram(t.words), 1));
  body.push_back(binary(opcode::maximum, whole, sram(t.best, 0), sram(t.best, 0), sram(t.words), t.tokens));
  body.push_back(copy(half, sram(t.own), sram(t.column_order), 1));
  body.push_back(copy(half, sram(t.own + 2), sram(t.best + 2), 1));
  body.push_back(copy(whole, sram(t.winner), sram(t.own), 1));
}

}  // namespace

double gumbel(std::uint64_t seed, std::int64_t position, int token) {
  const double u = base::random_stream::of(seed, position, token).uniform() + 0x1.0p-54;
  return -std::log(-std::log(u));
}

token_choice::token_choice(int vocabulary_, int columns, int logits_address, address_counter& sram)
    : vocabulary(vocabulary_), tokens(base::ceil_div(vocabulary_, columns)), logits(logits_address) {
  if (tokens > most_tokens)
    throw std::invalid_argument(
        fmt::format("{} tokens in {} columns: a column chooses among {} at most", vocabulary, columns, most_tokens));
  noise = sram.take(tokens);
  order = sram.take(tokens);
  column_order = sram.take(1);
  first = sram.take(2);
  keys = sram.take(tokens);
  turned = sram.take(tokens);
  words = sram.take(2 * tokens);
  best = sram.take(2);
  own = sram.take(2);
  winner = sram.take(2);
  token = sram.take(2);
}

std::vector<mesh_kernel> token_choice::kernels(double temperature) const {
  mesh_kernel column;
  column.name = "arg-max over columns";
  if (temperature > 0)
    column.before.push_back(
        binary(opcode::multiply, element_type::fp16, sram(logits), sram(logits), constant(1 / temperature), tokens));
  column.before.push_back(add(element_type::fp16, sram(logits), sram(logits), sram(noise), tokens));
  add_keys(column.before, *this);
  add_own_choice(column.before, *this);
  column.reduce = reduction{axis::row, {whole, 1, winner, opcode::maximum}};
  // The winning column knows that it is, and says which of its tokens.
  mesh_kernel result;
  result.name = "arg-max token";
  result.before = {copy(whole, sram(token), constant(0), 1),
                   binary(opcode::subtract, half, sram(token), constant(-1), sram(best), 1),
                   add(whole, sram(token), sram(token), sram(first), 1),
                   binary(opcode::at_least, whole, sram(own), sram(own), sram(winner), 1),
                   binary(opcode::multiply, whole, sram(token), sram(token), sram(own), 1)};
  result.reduce = reduction{axis::row, {whole, 1, token, opcode::maximum}};
  return {std::move(column), std::move(result)};
}

void token_choice::write_counters(mesh_machine& mesh) const {
  std::vector<double> down;
  for (int t = 0; t < tokens; ++t)
    down.push_back(-1 - t);
  for (int row = 0; row < mesh.rows(); ++row)
    for (int column = 0; column < mesh.columns(); ++column) {
      mesh.write({column, row}, order, half, down);
      mesh.write({column, row}, column_order, half, {-1.0 - column});
      mesh.write({column, row}, first, whole, {static_cast<double>(column * tokens)});
    }
}

void token_choice::write_noise(mesh_machine& mesh, double temperature, std::uint64_t seed,
                               std::int64_t position) const {
  for (int column = 0; column < mesh.columns(); ++column) {
    std::vector<double> of_column;
    for (int id = column * tokens; id < (column + 1) * tokens; ++id)
      of_column.push_back(id >= vocabulary ? never : temperature > 0 ? gumbel(seed, position, id) : 0);
    for (int row = 0; row < mesh.rows(); ++row)
      mesh.write({column, row}, noise, element_type::fp16, of_column);
  }
}

int token_choice::chosen(const mesh_machine& mesh) const {
  return static_cast<int>(mesh.read({0, 0}, token, whole, 1).front());
}

}  // namespace scribeline::kernels
