#include "platforms/wafer_chain/chain_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "firmware_stubs/plan/sizes.h"

namespace scribeline::platforms {

namespace {

// Stages of one wafer, as indices into the plan.
using wafer_stages = std::vector<std::size_t>;

std::vector<wafer_stages> assign(const std::vector<plan::layer_plan>& layers, std::int64_t layers_per_wafer,
                                 bool beside) {
  std::vector<wafer_stages> wafers;
  std::int64_t on_last = 0;  // model layers on the last wafer
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const bool is_layer = layers[i].what == plan::layer_plan::stage::layer;
    const bool joins = !wafers.empty() && (is_layer ? on_last < layers_per_wafer && (on_last > 0 || beside) : beside);
    if (!joins) {
      wafers.emplace_back();
      on_last = 0;
    }
    wafers.back().push_back(i);
    if (is_layer) ++on_last;
  }
  return wafers;
}

struct grid {
  std::int64_t columns, rows;
};

// The grid of at least `blocks` equal blocks that are closest to squares.
grid grid_for(std::int64_t blocks, const wafer::wafer_config& chip) {
  grid best{1, blocks};
  double best_flatness = std::numeric_limits<double>::max();
  for (std::int64_t columns = 1; columns <= blocks; ++columns) {
    const std::int64_t rows = base::ceil_div(blocks, columns);
    const double ratio = (static_cast<double>(chip.columns) / static_cast<double>(columns)) /
                         (static_cast<double>(chip.rows) / static_cast<double>(rows));
    const double unused = static_cast<double>(columns * rows) / static_cast<double>(blocks);
    const double flatness = std::max(ratio, 1 / ratio) * unused;
    if (flatness < best_flatness) {
      best_flatness = flatness;
      best = {columns, rows};
    }
  }
  return best;
}

// Two layers with the same signature are the same work.
std::string signature(const plan::layer_plan& layer, const kernels::rectangle& block) {
  std::string text = fmt::format("{}x{} {} {}", block.columns, block.rows, layer.input_elements, layer.output_elements);
  for (const auto& op : layer.operations) {
    text += fmt::format("|{} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", static_cast<int>(op.kind), op.beside_previous,
                        op.inputs, op.outputs, op.copies, op.active_copies, op.weight_bytes.value(), op.heads,
                        op.kv_heads, op.key_width, op.value_width, op.window, op.sparse_top_k,
                        op.cache_entry_bytes.value(), op.state_bytes.value());
  }
  return text;
}

class planner {
 public:
  explicit planner(const chain_config& config)
      : config_(config), layers_(plan::make_plan(config.model)), timing_(config.wafer) {}

  chain_plan run() {
    if (config_.layers_per_wafer > 0) return plan(config_.layers_per_wafer);
    // As many layers as fit: the bytes give an upper limit, placing decides.
    for (std::int64_t n = most_layers(); n > 1; --n) {
      chain_plan candidate = plan(n);
      if (std::all_of(candidate.stages.begin(), candidate.stages.end(),
                      [](const stage_site& s) { return s.placed.fits; })) {
        return candidate;
      }
    }
    return plan(1);
  }

 private:
  std::int64_t most_layers() const {
    std::int64_t largest = 1;
    std::int64_t count = 0;
    for (const auto& layer : layers_) {
      if (layer.what != plan::layer_plan::stage::layer) continue;
      largest = std::max(largest, plan::weight_bytes(layer).value());
      ++count;
    }
    return std::clamp<std::int64_t>(config_.wafer.cores() * config_.wafer.data_bytes_per_core() / largest, 1, count);
  }

  chain_plan plan(std::int64_t layers_per_wafer) {
    chain_plan result;
    const auto wafers = assign(layers_, layers_per_wafer, config_.embedding_and_head_beside_layers);
    result.wafers = wafers.size();
    result.layers_per_wafer = layers_per_wafer;
    for (std::size_t w = 0; w < wafers.size(); ++w) {
      const grid cut = grid_for(static_cast<std::int64_t>(wafers[w].size()), config_.wafer);
      const kernels::rectangle block = {config_.wafer.columns / cut.columns, config_.wafer.rows / cut.rows};
      for (std::size_t bank = 0; bank < wafers[w].size(); ++bank) {
        stage_site site;
        site.layer = layers_[wafers[w][bank]];
        site.wafer = w;
        site.bank = static_cast<std::uint32_t>(bank);
        const auto at = static_cast<std::int64_t>(bank);
        site.block.column = static_cast<std::uint32_t>(at % cut.columns * block.columns);
        site.block.row = static_cast<std::uint32_t>(at / cut.columns * block.rows);
        site.block.columns = static_cast<std::uint32_t>(block.columns);
        site.block.rows = static_cast<std::uint32_t>(block.rows);
        site.placed = place_once(site.layer, block);
        result.stages.push_back(std::move(site));
      }
    }
    return result;
  }

  const kernels::placed_stage& place_once(const plan::layer_plan& layer, const kernels::rectangle& block) {
    const std::string key = signature(layer, block);
    const auto known = placed_.find(key);
    if (known != placed_.end()) return known->second;
    kernels::planning_point point;
    point.context = config_.longest_context();
    point.cache = plan::request_bytes(layer, config_.longest_context()).total() *
                  static_cast<std::int64_t>(config_.concurrent_requests());
    point.most_tokens = std::max<std::uint64_t>(config_.load.chunk_tokens, config_.load.acceptance.size() + 1);
    point.most_tokens = std::min(point.most_tokens, std::max<std::uint64_t>(config_.load.prompt_tokens, 1));
    return placed_.emplace(key, kernels::place(layer, block, point, config_.wafer, timing_)).first->second;
  }

  const chain_config& config_;
  std::vector<plan::layer_plan> layers_;
  wafer::launch_timing timing_;
  std::map<std::string, kernels::placed_stage> placed_;
};

}  // namespace

std::uint64_t chain_config::concurrent_requests() const {
  std::uint64_t concurrent =
      load.arrivals == serving::arrival_process::closed ? std::min(load.users, load.requests) : 1;
  if (load.most_in_flight != 0) {
    concurrent = load.arrivals == serving::arrival_process::closed ? std::min(concurrent, load.most_in_flight)
                                                                   : load.most_in_flight;
  }
  return concurrent;
}

memory::core_rectangle stage_site::region() const {
  const auto& r = placed.map.region;
  memory::core_rectangle place;
  place.columns = static_cast<std::uint32_t>(r.columns);
  place.rows = static_cast<std::uint32_t>(r.rows);
  place.column = block.column + (block.columns - place.columns) / 2;
  place.row = block.row + (block.rows - place.rows) / 2;
  return place;
}

std::vector<std::size_t> chain_plan::stages_of(std::size_t wafer) const {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (stages[i].wafer == wafer) indices.push_back(i);
  }
  return indices;
}

chain_plan plan_chain(const chain_config& config) {
  return planner(config).run();
}

}  // namespace scribeline::platforms
