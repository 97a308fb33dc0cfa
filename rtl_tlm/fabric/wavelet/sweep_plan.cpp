#include "rtl_tlm/fabric/wavelet/sweep_plan.h"

#include <algorithm>

namespace scribeline::fabric {
namespace {

// Where rows exchange words, all rows of the block are at work at once: short blocks and narrow strips keep them in the
// cache (a core takes 400 to 620 bytes). Where they do not, one row is, and a long block loads it less often.
constexpr int short_block = 48;
constexpr int long_block = 192;
constexpr int strip_places = 64;

// By column and row: whether a queue that begins or ends in the column joins the row to the row above it.
class row_crossings {
 public:
  explicit row_crossings(const wavelet_layout& layout)
      : columns_(static_cast<std::size_t>(layout.columns)),
        crossed_(static_cast<std::size_t>(layout.rows), std::vector<bool>(columns_)),
        any_(columns_) {
    for (std::uint32_t number = 0; number < layout.queues.size(); ++number) {
      if (layout.merged_into[number] != number) continue;
      const coordinate to = layout.place_of(layout.queues[number].reader);
      const coordinate from = layout.place_of(layout.writers[number] & ~written_by_core);
      if (from.row == to.row) continue;
      mark(from.column, from.row, to.row);
      mark(to.column, from.row, to.row);
    }
  }

  bool any(int column) const { return any_[static_cast<std::size_t>(column)]; }
  // In the columns first..last - 1.
  bool joins(int row, int first, int last) const {
    const std::vector<bool>& crossed = crossed_[static_cast<std::size_t>(row)];
    return std::find(crossed.begin() + first, crossed.begin() + last, true) != crossed.begin() + last;
  }

 private:
  void mark(int column, int row, int other) {
    any_[static_cast<std::size_t>(column)] = true;
    for (int lower = std::min(row, other) + 1; lower <= std::max(row, other); ++lower)
      crossed_[static_cast<std::size_t>(lower)][static_cast<std::size_t>(column)] = true;
  }

  std::size_t columns_;
  std::vector<std::vector<bool>> crossed_;
  std::vector<bool> any_;
};

// By place: whether a column that comes there in a block of so many cycles has crossings.
std::vector<bool> crossed_places(const row_crossings& crossings, int columns, int block) {
  std::vector<bool> crossed(static_cast<std::size_t>(columns + block - 1));
  for (int column = 0; column < columns; ++column)
    if (crossings.any(column)) std::fill_n(crossed.begin() + column, block, true);
  return crossed;
}

sweep make_sweep(const row_crossings& crossings, const wavelet_layout& layout, int block, int begin, int end) {
  sweep s{begin, end, {0}};
  const int first = std::max(0, begin - block + 1);
  const int last = std::min(layout.columns, end);
  for (int row = 1; row < layout.rows; ++row)
    if (!crossings.joins(row, first, last)) s.bands.push_back(row);
  s.bands.push_back(layout.rows);
  return s;
}

}  // namespace

sweep_plan::sweep_plan(const wavelet_layout& layout) : block_cycles(long_block) {
  const row_crossings crossings(layout);
  std::vector<bool> crossed = crossed_places(crossings, layout.columns, long_block);
  if (3 * std::count(crossed.begin(), crossed.end(), true) > static_cast<std::ptrdiff_t>(crossed.size())) {
    block_cycles = short_block;
    crossed = crossed_places(crossings, layout.columns, short_block);
  }
  for (auto from = crossed.begin(); from != crossed.end();) {
    const auto to = std::find(from, crossed.end(), !*from);
    const auto begin = static_cast<int>(from - crossed.begin());
    const auto width = static_cast<int>(to - from);
    const int strips = *from ? std::max(1, width / strip_places) : 1;
    for (int i = 0; i < strips; ++i)
      sweeps.push_back(
          make_sweep(crossings, layout, block_cycles, begin + width * i / strips, begin + width * (i + 1) / strips));
    from = to;
  }
}

}  // namespace scribeline::fabric
