// Dead cores and links of a wafer, and the spare cores that take their place, so that programs see a regular mesh.
//
// Published: a wafer has more cores than programs see (WSE-2: 757 x 996 for 750 x 994, WSE-3: 762 x 1172 for
// 755 x 1170), spare cores take the place of dead ones, and redundant links restore the mesh. How they are wired is not
// published. Assumptions:
//   * Every row repairs itself: its dead cores are passed by and the cores behind them move up, as far as the spare
//     columns reach.
//   * A row with more dead cores than spare columns is left out, as long as there are spare rows.
//   * A dead link costs the core at its east or south end, which counts as dead.
//   * A link that passes by unused cores, or joins cores of neighbouring rows that have moved up by different numbers
//   of
//     columns, takes one hop for every core pitch it spans, carries one word per cycle, and is never broken itself.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rtl_tlm/fabric/link_lengths.h"
#include "rtl_tlm/fabric/program/geometry.h"

namespace scribeline::fabric {

struct wafer_extent {
  int columns = 0;
  int rows = 0;
};
inline constexpr wafer_extent wse2_extent{757, 996};
inline constexpr wafer_extent wse3_extent{762, 1172};

struct dead_link {
  coordinate from;
  port side = port::east;
};

// In coordinates of the whole wafer, spare cores included.
struct defect_map {
  wafer_extent wafer;
  std::vector<coordinate> dead_cores;
  std::vector<dead_link> dead_links;
};

// So many different dead cores and links, uniform over the wafer. Throws std::invalid_argument when there are not that
// many, or for negative counts.
defect_map random_defects(const wafer_extent& wafer, std::int64_t dead_cores, std::int64_t dead_links,
                          std::uint64_t seed);

// A regular mesh on the working cores of a wafer.
class repaired_mesh {
 public:
  // Throws base::does_not_fit when the working cores do not hold a mesh of that size (names the row, needed and
  // available cores), base::bad_input for a defect that is not on the wafer.
  repaired_mesh(const defect_map& defects, int columns, int rows);

  int columns() const { return columns_; }
  int rows() const { return rows_; }
  // The core of the wafer that a program sees at `c`.
  coordinate core_of(coordinate c) const;
  // What the engines take: run_options::lengths.
  const std::shared_ptr<const link_lengths>& lengths() const { return lengths_; }

  // Cores of the mesh that are not where they would be without defects.
  std::int64_t moved_cores() const;
  // Rows of the wafer that are passed by, in order.
  const std::vector<int>& left_out_rows() const { return left_out_rows_; }
  int longest_link_hops() const;
  // Along the longest row and the longest column: hops from end to end per link, 1 without defects.
  double mean_hops_of_longest_line() const;

 private:
  std::size_t index_of(coordinate c) const {
    return static_cast<std::size_t>(c.row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(c.column);
  }
  void measure_links();

  int columns_;
  int rows_;
  std::vector<int> wafer_row_;               // by row of the mesh
  std::vector<std::uint16_t> wafer_column_;  // by core of the mesh
  std::vector<int> left_out_rows_;
  std::shared_ptr<const link_lengths> lengths_;
};

}  // namespace scribeline::fabric
