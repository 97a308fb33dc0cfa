#include "scenarios/wafer_fabric/fabric_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "rtl_tlm/base/random.h"
#include "rtl_tlm/fabric/program/element_math.h"

namespace scribeline::scenarios {
namespace {

using fabric::coordinate;
using fabric::element_type;

// Integers up to this one are exact, and so is their sum as long as it stays below.
std::int64_t largest_exact_integer(element_type type) {
  switch (type) {
    case element_type::fp16:
      return 2048;
    case element_type::bf16:
      return 256;
    case element_type::int16:
      return 32'767;
    case element_type::fp32:
    case element_type::int32:
      break;
  }
  return std::int64_t{1} << 24;
}

coordinate core_of(const fabric::region& team, int position) {
  return team.columns > 1 ? coordinate{team.first.column + position, team.first.row}
                          : coordinate{team.first.column, team.first.row + position};
}

}  // namespace

value_check::value_check(const collective_settings& settings, int columns, int rows, std::uint64_t seed)
    : settings_(settings),
      vector_(settings.vector()),
      columns_(columns),
      rows_(rows),
      seed_(seed),
      team_size_(static_cast<int>(settings.teams(columns, rows).front().size())) {}

double value_check::value(coordinate core, int element) const {
  base::random_stream random = base::random_stream::of(seed_, core.column, core.row, element);
  const std::int64_t exact = largest_exact_integer(vector_.type);
  const bool sums = settings_.combines() && settings_.op == fabric::opcode::add;
  const std::int64_t largest = sums ? std::min<std::int64_t>(100, exact / team_size_) : 100;
  if (largest > 0)
    return static_cast<double>(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * largest + 1))) -
                               largest);
  // Too many cores for all of them to have a value: +-1 with a density that stays far below what is exact.
  if (random.below(static_cast<std::uint64_t>(team_size_)) >= static_cast<std::uint64_t>(exact / 4)) return 0;
  return random.below(2) == 0 ? 1 : -1;
}

value_check::values value_check::vector_of(coordinate core, int number) const {
  values all;
  for (int i = 0; i < vector_.elements; ++i)
    all.push_back(value(core, number * vector_.elements + i));
  return all;
}

int value_check::vectors_per_core() const {
  return settings_.what == collective::scatter || settings_.what == collective::all_to_all ? team_size_ : 1;
}

void value_check::write(fabric::wavelet_engine& engine, const fabric::program& running) const {
  if (settings_.what == collective::edge_multicast) {
    std::vector<std::uint32_t> words;
    const int per_word = fabric::elements_per_word(vector_.type);
    const values all = vector_of({0, 0});
    for (std::size_t i = 0; i < all.size(); i += static_cast<std::size_t>(per_word)) {
      std::uint32_t word = 0;
      for (int lane = 0; lane < per_word; ++lane)
        word |= fabric::element_bits(vector_.type, all[i + static_cast<std::size_t>(lane)]) << (16 * lane);
      words.push_back(word);
    }
    const fabric::edge_input& edge = running.edge_inputs.at(0);
    engine.set_edge_words(edge.where.first, edge.side, edge.color, std::move(words));
    return;
  }
  for (int row = 0; row < rows_; ++row)
    for (int column = 0; column < columns_; ++column)
      for (int number = 0; number < vectors_per_core(); ++number)
        engine.write_vector({column, row}, vector_.address + number * vector_.bytes(), vector_.type,
                            vector_of({column, row}, number));
}

value_check::values value_check::combined(const fabric::region& team) const {
  values total = vector_of(team.first);
  if (!settings_.combines()) return total;
  for (int row = 0; row < team.rows; ++row)
    for (int column = 0; column < team.columns; ++column) {
      const coordinate core{team.first.column + column, team.first.row + row};
      if (core == team.first) continue;
      for (int i = 0; i < vector_.elements; ++i) {
        double& sum = total[static_cast<std::size_t>(i)];
        const std::uint32_t bits =
            fabric::compute_element(vector_.op, vector_.type, fabric::element_bits(vector_.type, sum),
                                    fabric::element_bits(vector_.type, value(core, i)), 0);
        sum = fabric::element_value(vector_.type, bits);
      }
    }
  return total;
}

std::int64_t value_check::compare(const fabric::wavelet_engine& engine, coordinate core, int address,
                                  const values& expected) const {
  const values found = engine.read_vector(core, address, vector_.type, vector_.elements);
  const auto difference = std::mismatch(found.begin(), found.end(), expected.begin());
  if (difference.first != found.end())
    throw std::runtime_error(fmt::format("element {} at {} is {}, the host computes {}",
                                         difference.first - found.begin(), to_string(core), *difference.first,
                                         *difference.second));
  return vector_.elements;
}

// The result is on every core of its team.
bool value_check::spreads_result() const {
  switch (settings_.what) {
    case collective::reduce_rows:
    case collective::reduce_xy:
    case collective::reduce_snake:
      return false;
    default:
      return true;
  }
}

std::int64_t value_check::check_team(const fabric::wavelet_engine& engine, const fabric::region& team) const {
  const values expected = combined(team);
  if (!spreads_result()) return compare(engine, team.first, vector_.address, expected);
  std::int64_t elements = 0;
  for (int row = 0; row < team.rows; ++row)
    for (int column = 0; column < team.columns; ++column)
      elements += compare(engine, {team.first.column + column, team.first.row + row}, vector_.address, expected);
  return elements;
}

std::int64_t value_check::check_chunks(const fabric::wavelet_engine& engine, const fabric::region& team) const {
  const int bytes = vector_.bytes();
  const int target = settings_.target_address(team_size_);
  const coordinate root = team.first;
  std::int64_t elements = 0;
  for (int i = 0; i < team_size_; ++i) {
    const coordinate core = core_of(team, i);
    if (settings_.what == collective::scatter) {
      if (i > 0) elements += compare(engine, core, target, vector_of(root, i));
    } else if (settings_.what == collective::gather) {
      if (i > 0) elements += compare(engine, root, target + i * bytes, vector_of(core));
    } else {
      const int rank = collectives::ring_rank(i, team_size_);
      for (int d = 1; d < team_size_; ++d) {
        const int from = collectives::ring_position((rank + team_size_ - d) % team_size_, team_size_);
        elements += compare(engine, core, target + d * bytes, vector_of(core_of(team, from), d));
      }
    }
  }
  return elements;
}

std::int64_t value_check::check(const fabric::wavelet_engine& engine) const {
  std::int64_t elements = 0;
  for (const fabric::region& team : settings_.teams(columns_, rows_))
    elements += settings_.moves_chunks() ? check_chunks(engine, team) : check_team(engine, team);
  return elements;
}

}  // namespace scribeline::scenarios
