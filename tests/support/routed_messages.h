#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/message_program.h"

namespace scribeline::tests {

// Point-to-point messages with X-Y routes; each takes the first color that is free on its whole way.
class routed_messages {
 public:
  routed_messages(const recipe& r, const std::string& name, int colors)
      : r_(r),
        m_(r.random, name, r.size.columns, r.size.rows, r.result.chip),
        colors_(colors),
        used_(static_cast<std::size_t>(colors * r.size.columns * r.size.rows), false) {}

  message_program& m() { return m_; }

  // False when no color or queue is left.
  bool add(coordinate from, coordinate to, element_type type, int words) {
    if (from == to || !m_.can_send(from) || !m_.can_receive(to)) return false;
    const std::vector<coordinate> way = xy_way(from, to);
    const int first = r_.random.between(0, colors_ - 1);
    for (int i = 0; i < colors_; ++i) {
      const color_id color = (first + i) % colors_;
      if (std::any_of(way.begin(), way.end(), [&](coordinate c) { return used(color, c); })) continue;
      take(way, color);
      m_.send(from, color, type, words);
      m_.receive(to, color, type, words);
      return true;
    }
    return false;
  }

 private:
  std::vector<bool>::reference used(color_id color, coordinate c) {
    return used_[static_cast<std::size_t>((color * r_.size.rows + c.row) * r_.size.columns + c.column)];
  }
  static std::vector<coordinate> xy_way(coordinate from, coordinate to) {
    std::vector<coordinate> way{from};
    while (from.column != to.column) {
      from.column += to.column > from.column ? 1 : -1;
      way.push_back(from);
    }
    while (from.row != to.row) {
      from.row += to.row > from.row ? 1 : -1;
      way.push_back(from);
    }
    return way;
  }
  static port side_towards(coordinate from, coordinate to) {
    if (to.column != from.column) return to.column > from.column ? port::east : port::west;
    return to.row > from.row ? port::south : port::north;
  }
  void take(const std::vector<coordinate>& way, color_id color) {
    for (std::size_t i = 0; i < way.size(); ++i) {
      used(color, way[i]) = true;
      const port in = i == 0 ? port::ramp : side_towards(way[i], way[i - 1]);
      const port out = i + 1 == way.size() ? port::ramp : side_towards(way[i], way[i + 1]);
      m_.code().add_route(core_at(way[i].column, way[i].row), color, in, out);
    }
  }

  const recipe& r_;
  message_program m_;
  int colors_;
  std::vector<bool> used_;
};

}  // namespace scribeline::tests
