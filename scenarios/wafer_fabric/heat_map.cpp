#include "scenarios/wafer_fabric/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace scribeline::scenarios {
namespace {

using fabric::coordinate;
using fabric::link_loads;
using fabric::port;

constexpr int levels = 64;

struct rgb {
  double red, green, blue;
};

// Evenly spaced; from dark to light in steps that look alike, also to people who do not see red and green.
constexpr std::array<rgb, 6> scale = {
    {{72, 10, 92}, {64, 68, 135}, {41, 120, 142}, {34, 168, 132}, {122, 209, 81}, {253, 231, 37}}};

std::string color_of(double part) {
  const double position = std::clamp(part, 0.0, 1.0) * (scale.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(position), scale.size() - 2);
  const double rest = position - static_cast<double>(below);
  const auto mix = [&](double rgb::*channel) {
    return static_cast<int>(std::lround(scale[below].*channel * (1 - rest) + scale[below + 1].*channel * rest));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(&rgb::red), mix(&rgb::green), mix(&rgb::blue));
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text)
    safe += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return safe;
}

double scale_end(double most) {
  for (const double end : {0.01, 0.02, 0.04, 0.1, 0.2, 0.4})
    if (most <= end) return end;
  return 1;
}

std::string percent(double part) {
  return fmt::format("{:.3g} %", 100 * part);
}

// Cores to cells along one axis.
struct bins {
  int cores;
  int cells;

  bins(int cores_, int most) : cores(cores_), cells(std::min(cores_, most)) {}
  int begin(int cell) const { return static_cast<int>(std::int64_t{cell} * cores / cells); }
  int end(int cell) const { return begin(cell + 1); }
};

class drawing {
 public:
  drawing(const link_loads& loads, int most_cells)
      : loads_(loads), x_(loads.columns(), most_cells), y_(loads.rows(), most_cells) {
    for (const port side : {port::west, port::east, port::north, port::south})
      if (loads.summarise(side).words > 0) sides_.push_back(side);
    end_ = scale_end(loads.summarise().max_utilisation);
    place_maps();
  }

  std::string draw(const heat_map_text& text) {
    add_text(margin, 30, 18, "bold", text.title);
    add_text(margin, 52, 13, "normal", text.subtitle);
    if (sides_.empty()) add_text(margin, top + 10, 14, "normal", "No word went over a link.");
    for (std::size_t i = 0; i < sides_.size(); ++i)
      add_map(sides_[i], margin + static_cast<double>(i % across_) * pitch_,
              top + static_cast<double>(i / across_) * (height_ + map_header + map_footer));
    const auto lines = static_cast<double>((sides_.size() + across_ - 1) / across_);
    const double legend_top = top + lines * (height_ + map_header + map_footer);
    add_legend(legend_top);
    const double page = std::max(680.0, 2 * margin + static_cast<double>(across_) * pitch_ - gap);
    const double page_height = legend_top + 78;
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\" "
        "font-family=\"sans-serif\" fill=\"#222\" stroke=\"none\">\n<rect width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "fill=\"#fff\"/>\n{2}"
        "</svg>\n",
        page, page_height, out_);
  }

 private:
  static constexpr double margin = 48;
  static constexpr double top = 76;
  static constexpr double gap = 56;
  static constexpr double map_header = 40;
  static constexpr double map_footer = 40;
  static constexpr double longest = 420;
  static constexpr double least = 22;  // a single row must be seen
  static constexpr double largest_core = 28;
  static constexpr double least_pitch = 230;  // the text above a map

  // Cores are square as long as a single row or column can still be seen.
  void place_maps() {
    const bool flat = y_.cores * 4 < x_.cores;
    across_ = flat || sides_.size() < 2 ? 1 : 2;
    const double space = flat ? 2 * longest + gap : longest;
    const double core = std::min({largest_core, space / x_.cores, longest / y_.cores});
    width_ = std::max(least, core * x_.cores);
    height_ = std::max(least, core * y_.cores);
    pitch_ = std::max(width_, least_pitch - gap) + gap;
  }

  void add_text(double x, double y, int size, const char* weight, const std::string& text,
                const char* anchor = "start") {
    out_ += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" font-weight=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y,
        size, weight, anchor, escaped(text));
  }

  // 0: no link or no word; else 1 + colour.
  int level_of(port side, int cell_x, int cell_y) const {
    std::uint32_t most = 0;
    for (int row = y_.begin(cell_y); row < y_.end(cell_y); ++row)
      for (int column = x_.begin(cell_x); column < x_.end(cell_x); ++column)
        most = std::max(most, loads_.words({column, row}, side));
    if (most == 0) return 0;
    const double part = loads_.utilisation_of(most) / end_;
    return 1 + std::min(levels - 1, static_cast<int>(part * levels));
  }

  // Runs of cells of one colour, as one path a colour.
  void add_map(port side, double x, double y) {
    const link_loads::summary all = loads_.summarise(side);
    add_text(x, y + 14, 13, "bold", fmt::format("to the {}", to_string(side)));
    std::string load = fmt::format("mean {}, max {}", percent(all.mean_utilisation), percent(all.max_utilisation));
    if (pitch_ >= 350) load += " at " + to_string(all.busiest);
    add_text(x, y + 31, 12, "normal", load);
    std::array<std::string, levels + 1> paths;
    for (int cell_y = 0; cell_y < y_.cells; ++cell_y)
      for (int cell_x = 0; cell_x < x_.cells;) {
        const int level = level_of(side, cell_x, cell_y);
        const int begin = cell_x++;
        while (cell_x < x_.cells && level_of(side, cell_x, cell_y) == level)
          ++cell_x;
        paths[static_cast<std::size_t>(level)] +=
            fmt::format("M{} {}h{}v1h-{}z", begin, cell_y, cell_x - begin, cell_x - begin);
      }
    const double map_top = y + map_header;
    out_ +=
        fmt::format("<g transform=\"translate({:.2f} {:.2f}) scale({:.5f} {:.5f})\" shape-rendering=\"crispEdges\">\n",
                    x, map_top, width_ / x_.cells, height_ / y_.cells);
    for (int level = 0; level <= levels; ++level)
      if (const std::string& path = paths[static_cast<std::size_t>(level)]; !path.empty())
        out_ +=
            fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", level == 0 ? unused : color_of((level - 0.5) / levels), path);
    out_ += "</g>\n";
    out_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#888\"/>\n", x,
        map_top, width_, height_);
    add_axes(x, map_top);
  }

  void add_axes(double x, double y) {
    add_text(x, y + height_ + 14, 11, "normal", "0");
    if (width_ >= 120) add_text(x + width_ / 2, y + height_ + 14, 11, "normal", "column", "middle");
    if (x_.cores > 1) add_text(x + width_, y + height_ + 14, 11, "normal", fmt::format("{}", x_.cores - 1), "end");
    add_text(x - 5, y + 10, 11, "normal", "0", "end");
    if (y_.cores > 1) add_text(x - 5, y + height_, 11, "normal", fmt::format("{}", y_.cores - 1), "end");
    if (height_ >= 120)
      out_ += fmt::format(
          "<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" font-size=\"11\" "
          "text-anchor=\"middle\">row</text>\n",
          x - 8, y + height_ / 2);
  }

  void add_legend(double y) {
    constexpr double bar = 320;
    constexpr double step = bar / levels;
    for (int level = 0; level < levels; ++level)
      out_ += fmt::format("<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"14\" fill=\"{}\"/>\n",
                          margin + level * step, y, step + 0.4, color_of((level + 0.5) / levels));
    for (int tick = 0; tick <= 4; ++tick)
      add_text(margin + tick * bar / 4, y + 30, 11, "normal", percent(end_ * tick / 4),
               tick == 0   ? "start"
               : tick == 4 ? "end"
                           : "middle");
    out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"14\" fill=\"{}\"/>\n", margin + bar + 32,
                        y, unused);
    add_text(margin + bar + 52, y + 12, 11, "normal", "no words");
    std::string note = "Colour: words per cycle of a link, of which it can carry one.";
    if (x_.cells < x_.cores || y_.cells < y_.cores)
      note += fmt::format(" A cell is the busiest of about {} x {} links.", (x_.cores + x_.cells / 2) / x_.cells,
                          (y_.cores + y_.cells / 2) / y_.cells);
    add_text(margin, y + 52, 11, "normal", note);
  }

  static constexpr const char* unused = "#e6e6e6";

  const link_loads& loads_;
  bins x_;
  bins y_;
  std::vector<port> sides_;  // with words
  std::size_t across_ = 1;   // maps beside each other
  double width_ = 0;         // of a map
  double pitch_ = 0;         // between the left ends of two
  double height_ = 0;
  double end_ = 1;  // utilisation at the end of the colour scale
  std::string out_;
};

}  // namespace

std::string heat_map_svg(const link_loads& loads, const heat_map_text& text, int most_cells) {
  return drawing(loads, most_cells).draw(text);
}

}  // namespace scribeline::scenarios
