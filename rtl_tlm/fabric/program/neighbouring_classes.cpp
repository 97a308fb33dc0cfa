// Which classes of cores lie beside each other.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "rtl_tlm/fabric/program/core_classes.h"

namespace scribeline::fabric {
namespace {

// Of two sequences of kinds, the positions at which a pair of kinds stands for the first time.
std::vector<int> new_pairs(const std::uint32_t* a, const std::uint32_t* b, int length) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  std::vector<int> positions;
  for (int i = 0; i < length; ++i)
    if (seen.insert({a[i], b[i]}).second) positions.push_back(i);
  return positions;
}

auto pair_key(const neighbouring_classes& n) {
  return std::tuple(n.from, n.to, index(n.side));
}
auto place_key(const neighbouring_classes& n) {
  return std::tuple(n.where.row, n.where.column, index(n.side));
}

}  // namespace

std::vector<neighbouring_classes> core_classes::neighbours() const {
  std::vector<neighbouring_classes> found;
  const auto add = [&](coordinate from, port side, coordinate to) {
    found.push_back({index_of(from), index_of(to), side, from});
    found.push_back({index_of(to), index_of(from), opposite(side), to});
  };
  const auto add_edge = [&](coordinate at, port side) {
    found.push_back({index_of(at), neighbouring_classes::outside, side, at});
  };

  std::map<std::size_t, std::vector<int>> rows_of_way;  // of a way to sort the rows: where it has new pairs
  for (const column_kind& kind : kinds_) {
    const std::uint32_t* rows = row_kinds_.data() + kind.first_row;
    const auto [entry, is_new] = rows_of_way.try_emplace(kind.first_row);
    if (is_new) entry->second = new_pairs(rows, rows + 1, rows_ - 1);
    for (const int row : entry->second)
      add({kind.example, row}, port::south, {kind.example, row + 1});
    add_edge({kind.example, 0}, port::north);
    add_edge({kind.example, rows_ - 1}, port::south);
  }

  const std::uint32_t* columns = kind_of_column_.data();
  std::map<std::pair<std::size_t, std::size_t>, std::vector<int>> rows_of_ways;
  const auto rows_between = [&](std::uint32_t a, std::uint32_t b) -> const std::vector<int>& {
    const std::size_t first_a = kinds_[a].first_row;
    const std::size_t first_b = kinds_[b].first_row;
    const auto [entry, is_new] = rows_of_ways.try_emplace({first_a, first_b});
    if (is_new) entry->second = new_pairs(row_kinds_.data() + first_a, row_kinds_.data() + first_b, rows_);
    return entry->second;
  };
  for (const int column : new_pairs(columns, columns + 1, columns_ - 1))
    for (const int row : rows_between(columns[column], columns[column + 1]))
      add({column, row}, port::east, {column + 1, row});
  for (const int row : rows_between(columns[0], columns[0]))
    add_edge({0, row}, port::west);
  for (const int row : rows_between(columns[columns_ - 1], columns[columns_ - 1]))
    add_edge({columns_ - 1, row}, port::east);

  std::sort(found.begin(), found.end(), [](const neighbouring_classes& x, const neighbouring_classes& y) {
    return std::pair(pair_key(x), place_key(x)) < std::pair(pair_key(y), place_key(y));
  });
  found.erase(std::unique(found.begin(), found.end(),
                          [](const neighbouring_classes& x, const neighbouring_classes& y) {
                            return pair_key(x) == pair_key(y);
                          }),
              found.end());
  std::sort(found.begin(), found.end(),
            [](const neighbouring_classes& x, const neighbouring_classes& y) { return place_key(x) < place_key(y); });
  return found;
}

}  // namespace scribeline::fabric
