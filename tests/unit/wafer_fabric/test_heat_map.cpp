// The picture of link loads: scale, bins and what is left out.
#include <catch2/catch.hpp>

#include "scenarios/wafer_fabric/heat_map.h"

using namespace scribeline;
using namespace scribeline::scenarios;
using Catch::Matchers::Contains;
using fabric::port;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++n;
  return n;
}

}  // namespace

TEST_CASE("only directions with words are drawn, on a scale that holds the busiest link") {
  fabric::link_loads loads(4, 2, base::cycles{1000});
  loads.set_words({2, 1}, port::west, 70);
  loads.set_words({1, 0}, port::east, 20);
  const std::string svg = heat_map_svg(loads, {"title", "subtitle"});
  CHECK_THAT(svg, Contains("to the west") && Contains("to the east"));
  CHECK_THAT(svg, !Contains("to the north") && !Contains("to the south"));
  CHECK_THAT(svg, Contains(">10 %<"));  // the first step above 7 %
  CHECK_THAT(svg, Contains("mean 0.333 %, max 2 %"));
  // The cell of the link, and the run of cells without words in front of it.
  CHECK_THAT(svg, Contains("M2 1h1v1h-1z") && Contains("M0 1h2v1h-2z"));
  CHECK(count(svg, "<svg") == 1);
  CHECK(count(svg, "<g ") == count(svg, "</g>"));
}

TEST_CASE("large fabrics are binned and a cell shows the busiest link of its bin") {
  fabric::link_loads loads(1000, 3, base::cycles{100});
  loads.set_words({777, 1}, port::south, 100);
  const std::string svg = heat_map_svg(loads, {"title", "subtitle"}, 10);
  CHECK_THAT(svg, Contains("M7 1h1v1h-1z"));
  CHECK_THAT(svg, Contains("A cell is the busiest of about 100 x 1 links."));
  CHECK_THAT(svg, Contains(">999<") && Contains(">100 %<"));
}

TEST_CASE("a fabric without traffic says so, and titles are escaped") {
  const std::string svg = heat_map_svg(fabric::link_loads(3, 3, base::cycles{0}), {"a < b & c", ""});
  CHECK_THAT(svg, Contains("No word went over a link."));
  CHECK_THAT(svg, Contains("a &lt; b &amp; c"));
}

TEST_CASE("a whole wafer stays a small picture") {
  fabric::link_loads loads(755, 1170, base::cycles{1000});
  for (int row = 0; row < loads.rows(); ++row)
    for (int column = 0; column + 1 < loads.columns(); ++column)
      loads.set_words({column, row}, port::east, static_cast<std::uint32_t>((column * 7 + row * 13) % 1000));
  CHECK(heat_map_svg(loads, {"title", ""}).size() < 1'500'000);
}
