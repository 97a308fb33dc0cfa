#include "scenarios/wafer_chain/floor_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "firmware_stubs/plan/sizes.h"

namespace scribeline::scenarios {

namespace {

using memory::core_rectangle;
using platforms::stage_site;

// Fill of blocks; told apart also without colour by the label of each block.
constexpr std::array<const char*, 6> block_colors = {"#e8eef7", "#eef5e6", "#fbf0e2", "#f3e9f5", "#e4f3f2", "#f7eaea"};
constexpr const char* region_color = "#4c78a8";
constexpr const char* group_color = "#b07020";
constexpr const char* band_color = "#ffffff";

// SRAM of the fullest cores of a stage, by what lies in it.
struct share {
  const char* name;
  const char* color;
  double bytes;
};

std::string same_wafer_key(const platforms::chain_plan& plan, std::size_t wafer) {
  std::string key;
  for (const std::size_t s : plan.stages_of(wafer)) {
    const stage_site& site = plan.stages[s];
    const auto& m = site.placed.map;
    key += fmt::format("{} {} {} {} {} {} {} {} {} {} {}|", site.block.row, site.block.column, m.block.columns,
                       m.block.rows, m.region.columns, m.region.rows, m.group_columns, m.group_rows, m.attention_bands,
                       m.token_tile, plan::weight_bytes(site.layer).value());
  }
  return key;
}

// "wafer 3", "wafers 1, 3, 5" or "wafers 1 to 80".
std::string names_of(const std::vector<std::size_t>& wafers) {
  if (wafers.size() == 1) return fmt::format("wafer {}", wafers[0]);
  std::string text = "wafers";
  for (std::size_t i = 0; i < wafers.size();) {
    std::size_t last = i;
    while (last + 1 < wafers.size() && wafers[last + 1] == wafers[last] + 1)
      ++last;
    text += i == 0 ? " " : ", ";
    text += last > i + 1 ? fmt::format("{} to {}", wafers[i], wafers[last]) : std::to_string(wafers[i]);
    i = last > i + 1 ? last + 1 : i + 1;
    if (text.size() > 70 && i < wafers.size()) return text + fmt::format(", ... ({} in all)", wafers.size());
  }
  return text;
}

class drawing {
 public:
  drawing(const platforms::chain_config& config, const platforms::chain_plan& plan, const floor_plan& which)
      : config_(config), plan_(plan), which_(which), stages_(plan.stages_of(which.wafer)) {
    scale_ = std::min(plan_width / static_cast<double>(config.wafer.columns),
                      plan_height / static_cast<double>(config.wafer.rows));
  }

  std::string draw() {
    text(margin, 30, 18, "bold", fmt::format("{}: {}", config_.model.name, names_of(which_.wafers)));
    text(margin, 52, 12, "normal",
         fmt::format("{} x {} cores, {} stage{}; rows run downwards", config_.wafer.columns, config_.wafer.rows,
                     stages_.size(), stages_.size() == 1 ? "" : "s"));
    for (std::size_t i = 0; i < stages_.size(); ++i)
      block(i);
    legend();
    const double bottom = table();
    const double height = std::max(top + plan_height + 120, bottom);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\" font-family=\"sans-serif\" fill=\"#222\" stroke=\"none\">\n<rect width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" fill=\"#fff\"/>\n{2}</svg>\n",
        page_width, height, out_);
  }

 private:
  static constexpr double margin = 32;
  static constexpr double top = 72;
  static constexpr double plan_width = 460;
  static constexpr double plan_height = 720;
  static constexpr double table_left = margin + plan_width + 48;
  static constexpr double page_width = 1040;

  double x_of(double column) const { return margin + column * scale_; }
  double y_of(double row) const { return top + row * scale_; }

  void text(double x, double y, int size, const char* weight, const std::string& words, const char* anchor = "start",
            const char* color = "#222") {
    out_ += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" font-weight=\"{}\" text-anchor=\"{}\" "
        "fill=\"{}\">{}</text>\n",
        x, y, size, weight, anchor, color, words);
  }

  void rectangle(double x, double y, double width, double height, const std::string& style) {
    out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}/>\n", x, y, width,
                        height, style);
  }

  void rectangle(const core_rectangle& r, const std::string& style) {
    rectangle(x_of(r.column), y_of(r.row), r.columns * scale_, r.rows * scale_, style);
  }

  void block(std::size_t i) {
    const stage_site& site = plan_.stages[stages_[i]];
    rectangle(site.block,
              fmt::format("fill=\"{}\" stroke=\"#555\" stroke-width=\"1.5\"", block_colors[i % block_colors.size()]));
    const core_rectangle region = site.region();
    rectangle(region, fmt::format("fill=\"{}\" fill-opacity=\"0.45\" stroke=\"{}\" stroke-width=\"1.5\"", region_color,
                                  region_color));
    bands(site, region);
    groups(site);
    if (site.block.rows * scale_ < 14 || site.block.columns * scale_ < 20) return;
    text(x_of(site.block.column) + 5, y_of(site.block.row) + 14, 11, "bold",
         fmt::format("{}{}", i + 1, site.block.columns * scale_ > 90 ? " " + site.layer.name : std::string()));
  }

  // Bands lie across the longer reading of the axis that splits elements: drawn along the columns of the region.
  void bands(const stage_site& site, const core_rectangle& region) {
    const std::int64_t n = site.placed.map.attention_bands;
    if (n < 2) return;
    for (std::int64_t b = 1; b < n; ++b) {
      const double x =
          x_of(region.column + static_cast<double>(region.columns) * static_cast<double>(b) / static_cast<double>(n));
      out_ +=
          fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}\" stroke=\"{}\" stroke-width=\"0.8\" stroke-opacity=\"0.8\"/>\n",
                      x, y_of(region.row), y_of(region.row + region.rows), band_color);
    }
  }

  void groups(const stage_site& site) {
    const auto& m = site.placed.map;
    if (m.groups() < 2) return;
    const auto line = [&](const std::string& path) {
      out_ += fmt::format("<path d=\"{}\" stroke=\"{}\" stroke-width=\"1\" stroke-dasharray=\"4 3\"/>\n", path,
                          group_color);
    };
    const double right = site.block.column + static_cast<double>(m.group().columns * m.group_columns);
    const double bottom = site.block.row + static_cast<double>(m.group().rows * m.group_rows);
    for (std::int64_t g = 1; g < m.group_columns; ++g)
      line(fmt::format("M{:.1f} {:.1f}V{:.1f}", x_of(site.block.column + static_cast<double>(g * m.group().columns)),
                       y_of(site.block.row), y_of(bottom)));
    for (std::int64_t g = 1; g < m.group_rows; ++g)
      line(fmt::format("M{:.1f} {:.1f}H{:.1f}", x_of(site.block.column),
                       y_of(site.block.row + static_cast<double>(g * m.group().rows)), x_of(right)));
  }

  void legend() {
    double y = top + plan_height + 26;
    const auto entry = [&](const std::string& sample, const std::string& words) {
      out_ += sample;
      text(margin + 32, y, 12, "normal", words);
      y += 20;
    };
    entry(fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"22\" height=\"12\" fill=\"{}\" stroke=\"#555\"/>\n", margin,
                      y - 10, block_colors[0]),
          "block of a stage: the experts' weights spread over all of it");
    entry(fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"22\" height=\"12\" fill=\"{}\" fill-opacity=\"0.45\" "
                      "stroke=\"{}\"/>\n",
                      margin, y - 10, region_color, region_color),
          "region: activation, projections, attention with its cache or state");
    entry(fmt::format("<rect x=\"{0}\" y=\"{1:.1f}\" width=\"22\" height=\"12\" fill=\"{2}\" fill-opacity=\"0.45\"/>"
                      "<path d=\"M{3} {1:.1f}v12M{4} {1:.1f}v12\" stroke=\"{5}\"/>\n",
                      margin, y - 10, region_color, margin + 7, margin + 14, band_color),
          "attention bands, each with its own positions");
    entry(
        fmt::format("<path d=\"M{} {:.1f}h22\" stroke=\"{}\" stroke-dasharray=\"4 3\"/>\n", margin, y - 4, group_color),
        "borders of expert groups");
  }

  std::vector<share> shares_of(const stage_site& site) const {
    const auto per_core = [](base::bytes total, std::int64_t cores) {
      return static_cast<double>(total.value()) / static_cast<double>(cores);
    };
    const auto& memory = site.placed.program.memory;
    const auto& map = site.placed.map;
    const base::bytes one = config_.kept_by_request(site.layer, config_.longest_context()).total();
    const auto requests = static_cast<std::int64_t>(std::min(site.placed.requests_held, config_.concurrent_requests()));
    return {
        {"code", "#999999", static_cast<double>(config_.wafer.code_bytes_per_core)},
        {"receive buffer", "#c9b8d8", per_core(base::bytes{config_.link.receive_buffer_bytes}, config_.wafer.cores())},
        {"experts and tables", "#d9a05b", per_core(memory.block_weights, map.block.cores())},
        {"dense weights", "#4c78a8", per_core(memory.region_weights, map.region.cores())},
        {"activations", "#7fb069", static_cast<double>(memory.buffers_per_core.value())},
        {"cache and state", "#b5495b", per_core(one * requests, map.region.cores())}};
  }

  // A stage a row: what it is, its shape, a bar of its fullest cores. Returns where the page may end.
  double table() {
    double y = top + 8;
    text(table_left, y, 13, "bold", "Stages");
    y += 22;
    const std::size_t shown = std::min<std::size_t>(stages_.size(), 9);
    for (std::size_t i = 0; i < shown; ++i)
      y = row(i, y);
    if (shown < stages_.size()) {
      text(table_left, y, 12, "normal", fmt::format("... and {} more, alike", stages_.size() - shown));
      y += 20;
    }
    return bar_legend(y + 6);
  }

  double row(std::size_t i, double y) {
    const stage_site& site = plan_.stages[stages_[i]];
    const auto& m = site.placed.map;
    text(table_left, y, 12, "bold", fmt::format("{} {}", i + 1, site.layer.name));
    std::string shape =
        fmt::format("block {} x {}, region {} x {}", m.block.columns, m.block.rows, m.region.columns, m.region.rows);
    if (m.groups() > 1) shape += fmt::format(", {} x {} expert groups", m.group_columns, m.group_rows);
    if (m.attention_bands > 1) shape += fmt::format(", {} bands", m.attention_bands);
    text(table_left, y + 16, 11, "normal", shape);
    constexpr double width = 420;
    const double whole = static_cast<double>(config_.wafer.sram_bytes_per_core);
    double x = table_left;
    double taken = 0;
    for (const share& part : shares_of(site)) {
      const double w = part.bytes / whole * width;
      rectangle(x, y + 24, w, 13, fmt::format("fill=\"{}\"", part.color));
      x += w;
      taken += part.bytes;
    }
    rectangle(table_left, y + 24, width, 13, "fill=\"none\" stroke=\"#555\"");
    text(table_left, y + 52, 11, "normal",
         fmt::format("{:.0f} % of the fullest core; a pass of {} token{} takes {:.1f} us", 100 * taken / whole,
                     tokens_of(site), tokens_of(site) == 1 ? "" : "s",
                     site.placed.planned_cycles / config_.wafer.clock_ghz / 1000));
    return y + 76;
  }

  std::uint64_t tokens_of(const stage_site& site) const {
    return site.layer.what == plan::layer_plan::stage::draft ? 1 : config_.tokens_per_decode_pass();
  }

  double bar_legend(double y) {
    double x = table_left;
    for (const share& part : shares_of(plan_.stages[stages_[0]])) {
      if (x > table_left + 300) {
        x = table_left;
        y += 20;
      }
      rectangle(x, y - 10, 12, 12, fmt::format("fill=\"{}\"", part.color));
      text(x + 18, y, 11, "normal", part.name);
      x += 150;
    }
    text(table_left, y + 24, 11, "normal",
         fmt::format("SRAM of a core of the region, {} B; cache of {} request{} at its longest",
                     config_.wafer.sram_bytes_per_core, config_.concurrent_requests(),
                     config_.concurrent_requests() == 1 ? "" : "s, as far as it fits,"));
    return y + 48;
  }

  const platforms::chain_config& config_;
  const platforms::chain_plan& plan_;
  const floor_plan& which_;
  std::vector<std::size_t> stages_;
  double scale_ = 1;
  std::string out_;
};

}  // namespace

std::vector<floor_plan> floor_plans(const platforms::chain_plan& plan) {
  std::vector<floor_plan> plans;
  std::vector<std::string> keys;
  for (std::size_t w = 0; w < plan.wafers; ++w) {
    const std::string key = same_wafer_key(plan, w);
    const auto known = std::find(keys.begin(), keys.end(), key);
    if (known == keys.end()) {
      keys.push_back(key);
      plans.push_back({w, {w}});
    } else {
      plans[static_cast<std::size_t>(known - keys.begin())].wafers.push_back(w);
    }
  }
  return plans;
}

std::string floor_plan_svg(const platforms::chain_config& config, const platforms::chain_plan& plan,
                           const floor_plan& which) {
  return drawing(config, plan, which).draw();
}

}  // namespace scribeline::scenarios
