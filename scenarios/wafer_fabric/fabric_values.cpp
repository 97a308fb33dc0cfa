#include "scenarios/wafer_fabric/fabric_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "rtl_tlm/base/random.h"
#include "rtl_tlm/fabric/element_math.h"

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

}  // namespace

value_check::value_check(const collective_settings& settings, int columns, int rows, std::uint64_t seed)
    : settings_(settings), vector_(settings.vector()), columns_(columns), rows_(rows), seed_(seed) {}

double value_check::value(coordinate core, int element) const {
  base::random_stream random = base::random_stream::of(seed_, core.column, core.row, element);
  const std::int64_t contributors = settings_.by_rows() ? columns_ : std::int64_t{columns_} * rows_;
  const std::int64_t exact = largest_exact_integer(vector_.type);
  const bool sums = settings_.reduces() && settings_.op == fabric::opcode::add;
  const std::int64_t largest = sums ? std::min<std::int64_t>(100, exact / contributors) : 100;
  if (largest > 0)
    return static_cast<double>(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * largest + 1))) -
                               largest);
  // Too many cores for all of them to have a value: +-1 with a density that stays far below what is exact.
  if (random.below(static_cast<std::uint64_t>(contributors)) >= static_cast<std::uint64_t>(exact / 4)) return 0;
  return random.below(2) == 0 ? 1 : -1;
}

std::vector<double> value_check::vector_of(coordinate core) const {
  std::vector<double> values;
  for (int i = 0; i < vector_.elements; ++i)
    values.push_back(value(core, i));
  return values;
}

void value_check::write(fabric::wavelet_engine& engine) const {
  for (int row = 0; row < rows_; ++row)
    for (int column = 0; column < columns_; ++column)
      engine.write_vector({column, row}, vector_.address, vector_.type, vector_of({column, row}));
}

std::vector<double> value_check::combined(const fabric::region& cores) const {
  std::vector<double> total = vector_of(cores.first);
  if (!settings_.reduces()) return total;
  for (int row = 0; row < cores.rows; ++row)
    for (int column = 0; column < cores.columns; ++column) {
      const coordinate core{cores.first.column + column, cores.first.row + row};
      if (core == cores.first) continue;
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

void value_check::compare(const fabric::wavelet_engine& engine, coordinate core,
                          const std::vector<double>& expected) const {
  const std::vector<double> found = engine.read_vector(core, vector_.address, vector_.type, vector_.elements);
  const auto difference = std::mismatch(found.begin(), found.end(), expected.begin());
  if (difference.first == found.end()) return;
  throw std::runtime_error(fmt::format("element {} at {} is {}, the host computes {}", difference.first - found.begin(),
                                       to_string(core), *difference.first, *difference.second));
}

std::int64_t value_check::check(const fabric::wavelet_engine& engine) const {
  std::int64_t cores = 0;
  const int pieces = settings_.by_rows() ? rows_ : 1;
  for (int piece = 0; piece < pieces; ++piece) {
    const fabric::region part = fabric::rectangle(0, piece, columns_, settings_.by_rows() ? 1 : rows_);
    const std::vector<double> expected = combined(part);
    const fabric::region holders = settings_.spreads_result() ? part : fabric::core_at(0, piece);
    for (int row = 0; row < holders.rows; ++row)
      for (int column = 0; column < holders.columns; ++column, ++cores)
        compare(engine, {column, holders.first.row + row}, expected);
  }
  return cores * vector_.elements;
}

}  // namespace scribeline::scenarios
