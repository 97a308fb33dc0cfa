// A picture of how busy the links of a fabric were: one map for each direction in which words travelled, as SVG.
#pragma once

#include <string>

#include "rtl_tlm/fabric/link_loads.h"

namespace scribeline::scenarios {

struct heat_map_text {
  std::string title;
  std::string subtitle;
};

// A core is a cell, coloured by the link through which it sends in that direction; links that carried nothing are grey.
// Fabrics of more than `most_cells` columns or rows are binned, and a cell shows the busiest link of its bin. All maps
// share one scale, which ends at the first of 1, 2, 4, 10, 20, 40, 100 % that holds the busiest link.
std::string heat_map_svg(const fabric::link_loads& loads, const heat_map_text& text, int most_cells = 200);

}  // namespace scribeline::scenarios
