// How many words went over every link of a run.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rtl_tlm/base/units.h"
#include "rtl_tlm/fabric/program/geometry.h"

namespace scribeline::fabric {

class burst_engine;
class wavelet_engine;

// Links between routers of the rectangle; a link belongs to the core that sends. Utilisation is words per cycle, of
// which a link carries one.
class link_loads {
 public:
  link_loads(int columns, int rows, base::cycles duration);

  int columns() const { return columns_; }
  int rows() const { return rows_; }
  base::cycles duration() const { return duration_; }

  bool exists(coordinate from, port side) const {
    const coordinate to = neighbour(from, side);
    return side != port::ramp && to.column >= 0 && to.row >= 0 && to.column < columns_ && to.row < rows_;
  }
  std::uint32_t words(coordinate from, port side) const {
    return words_[static_cast<std::size_t>(index(side))][at(from)];
  }
  void set_words(coordinate from, port side, std::uint32_t n) {
    words_[static_cast<std::size_t>(index(side))][at(from)] = n;
  }
  // 0 for a run of no cycles.
  double utilisation(coordinate from, port side) const { return utilisation_of(words(from, side)); }
  double utilisation_of(double words) const {
    return duration_.value() > 0 ? words / static_cast<double>(duration_.value()) : 0;
  }

  struct summary {
    std::int64_t links = 0;
    std::int64_t used = 0;
    std::int64_t words = 0;
    double mean_utilisation = 0;       // of all links
    double mean_utilisation_used = 0;  // of those that carried a word
    double max_utilisation = 0;
    coordinate busiest;  // the first one in row-major order, sides in the order of `port`
    port busiest_side = port::north;
  };
  summary summarise() const;
  // Of the links in one direction.
  summary summarise(port side) const;

 private:
  std::size_t at(coordinate c) const {
    return static_cast<std::size_t>(c.row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(c.column);
  }
  summary summarise(port first, port last) const;

  int columns_;
  int rows_;
  base::cycles duration_;
  std::array<std::vector<std::uint32_t>, link_ports> words_;  // side, core
};

link_loads loads_of(const wavelet_engine& engine, base::cycles duration);
// Of a run with run_options::link_loads that has ended; before, a stream counts for the whole of its way.
link_loads loads_of(const burst_engine& engine, base::cycles duration);

}  // namespace scribeline::fabric
