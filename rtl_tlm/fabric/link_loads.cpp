#include "rtl_tlm/fabric/link_loads.h"

#include "rtl_tlm/fabric/burst/burst_engine.h"
#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"
#include "rtl_tlm/fabric/wavelet/wavelet_state.h"

namespace scribeline::fabric {

link_loads::link_loads(int columns, int rows, base::cycles duration)
    : columns_(columns), rows_(rows), duration_(duration) {
  for (auto& side : words_)
    side.assign(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), 0);
}

link_loads::summary link_loads::summarise() const {
  return summarise(port::north, port::west);
}

link_loads::summary link_loads::summarise(port side) const {
  return summarise(side, side);
}

link_loads::summary link_loads::summarise(port first, port last) const {
  summary all;
  std::uint32_t most = 0;
  for (int row = 0; row < rows_; ++row)
    for (int column = 0; column < columns_; ++column)
      for (int number = index(first); number <= index(last); ++number) {
        const auto side = static_cast<port>(number);
        if (!exists({column, row}, side)) continue;
        const std::uint32_t n = words({column, row}, side);
        ++all.links;
        all.used += n != 0 ? 1 : 0;
        all.words += n;
        if (n <= most) continue;
        most = n;
        all.busiest = {column, row};
        all.busiest_side = side;
      }
  all.max_utilisation = utilisation_of(most);
  const auto mean = [&](std::int64_t links) {
    return links > 0 ? utilisation_of(static_cast<double>(all.words)) / static_cast<double>(links) : 0;
  };
  all.mean_utilisation = mean(all.links);
  all.mean_utilisation_used = mean(all.used);
  return all;
}

namespace {

template <class Words>
link_loads count_all(const program& p, base::cycles duration, Words&& words) {
  link_loads loads(p.columns, p.rows, duration);
  for (int row = 0; row < p.rows; ++row)
    for (int column = 0; column < p.columns; ++column)
      for (int number = 0; number < link_ports; ++number) {
        const auto side = static_cast<port>(number);
        const coordinate here{column, row};
        if (loads.exists(here, side)) loads.set_words(here, side, static_cast<std::uint32_t>(words(here, side)));
      }
  return loads;
}

}  // namespace

link_loads loads_of(const wavelet_engine& engine, base::cycles duration) {
  return count_all(engine.state().code, duration,
                   [&](coordinate from, port side) { return engine.words_in(neighbour(from, side), opposite(side)); });
}

link_loads loads_of(const burst_engine& engine, base::cycles duration) {
  return count_all(engine.code(), duration, [&](coordinate from, port side) { return engine.words_over(from, side); });
}

}  // namespace scribeline::fabric
