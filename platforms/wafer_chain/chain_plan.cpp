#include "platforms/wafer_chain/chain_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "firmware_stubs/plan/sizes.h"
#include "rtl_tlm/base/error.h"

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

// Cuts a rectangle into blocks whose areas are in proportion to the shares, one for each of them in order: halve the
// list where the shares balance best, cut the longer side accordingly, go on in both parts.
void cut(const memory::core_rectangle& whole, const double* shares, std::size_t count,
         std::vector<memory::core_rectangle>& blocks) {
  if (count == 1) return blocks.push_back(whole);
  double total = 0;
  for (std::size_t i = 0; i < count; ++i)
    total += shares[i];
  std::size_t first = 1;
  double first_share = shares[0];
  while (first + 1 < count && std::abs(2 * (first_share + shares[first]) - total) < std::abs(2 * first_share - total)) {
    first_share += shares[first++];
  }
  const bool by_columns = whole.columns >= whole.rows;
  const std::int64_t side = by_columns ? whole.columns : whole.rows;
  const std::int64_t other = by_columns ? whole.rows : whole.columns;
  // Both parts keep a core for each of their stages.
  const std::int64_t least = base::ceil_div(static_cast<std::int64_t>(first), other);
  const std::int64_t most = side - base::ceil_div(static_cast<std::int64_t>(count - first), other);
  if (least > most) {
    throw base::bad_input(fmt::format("{} stages cannot share {} x {} cores: fewer layers per wafer or a larger wafer",
                                      count, whole.columns, whole.rows));
  }
  const std::int64_t wanted = std::llround(static_cast<double>(side) * first_share / total);
  const auto at = static_cast<std::uint32_t>(std::clamp(wanted, least, most));
  memory::core_rectangle a = whole;
  memory::core_rectangle b = whole;
  if (by_columns) {
    a.columns = at;
    b.column += at;
    b.columns -= at;
  } else {
    a.rows = at;
    b.row += at;
    b.rows -= at;
  }
  cut(a, shares, first, blocks);
  cut(b, shares + first, count - first, blocks);
}

// Two layers with the same signature are the same work.
std::string signature(const plan::layer_plan& layer, const kernels::rectangle& block) {
  std::string text = fmt::format("{}x{} {} {}", block.columns, block.rows, layer.input_elements, layer.output_elements);
  for (const auto& op : layer.operations) {
    text += fmt::format("|{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", static_cast<int>(op.kind),
                        op.beside_previous, op.inputs, op.outputs, op.copies, op.active_copies, op.weight_bytes.value(),
                        op.heads, op.kv_heads, op.key_width, op.value_width, op.window, op.sparse_top_k,
                        op.cache_entry_bytes.value(), op.state_bytes.value(), op.positions_per_entry, op.macs_per_token,
                        op.format.bits_per_weight, op.outputs_everywhere);
  }
  return text;
}

// The stage that makes drafts.
plan::layer_plan draft_stage(const chain_config& config) {
  if (config.drafts_by == drafter::module) {
    model::model_spec with_module = config.model;
    if (config.draft_model) {
      if (config.draft_model->hidden_width != config.model.hidden_width) {
        throw base::bad_input(fmt::format("the draft module of {} is {} wide, not {}", config.draft_model->name,
                                          config.draft_model->hidden_width, config.model.hidden_width));
      }
      with_module.drafts = {{config.draft_model->layers}};
    }
    if (with_module.drafts.empty()) {
      throw base::bad_input(
          "has no multi-token-prediction module to make drafts with: name one with workload.speculation.draft_config, "
          "or set workload.speculation.drafter to \"model\" or \"host\"");
    }
    return plan::make_draft_plan(with_module).front();
  }
  if (config.draft_model->vocabulary != config.model.vocabulary) {
    throw base::bad_input(fmt::format("the draft model {} has {} token numbers, not {}", config.draft_model->name,
                                      config.draft_model->vocabulary, config.model.vocabulary));
  }
  plan::layer_plan all;
  all.name = "draft " + config.draft_model->name;
  all.what = plan::layer_plan::stage::draft;
  all.input_elements = all.output_elements = 1;
  for (plan::layer_plan& layer : plan::make_plan(*config.draft_model)) {
    for (plan::operation& op : layer.operations)
      all.operations.push_back(std::move(op));
  }
  return all;
}

// Between two blocks of a wafer: along the axis on which their middles are farther apart from edge to edge, along the
// other from middle to middle.
std::int64_t hops_between(const memory::core_rectangle& a, const memory::core_rectangle& b) {
  const auto twice_apart = [](std::int64_t at_a, std::int64_t size_a, std::int64_t at_b, std::int64_t size_b) {
    return std::abs(2 * at_a + size_a - 2 * at_b - size_b);
  };
  const std::int64_t columns = twice_apart(a.column, a.columns, b.column, b.columns);
  const std::int64_t rows = twice_apart(a.row, a.rows, b.row, b.rows);
  const std::int64_t inside = columns >= rows ? std::int64_t{a.columns} + b.columns : std::int64_t{a.rows} + b.rows;
  return std::max<std::int64_t>(1, (columns + rows - inside) / 2 + 1);
}

class planner {
 public:
  explicit planner(const chain_config& config)
      : config_(config),
        layers_(plan::make_plan(config.model)),
        timing_(config.wafer),
        room_(without_receive_buffer(config)) {
    if (config.drafts_by != drafter::host && !config.load.acceptance.empty()) layers_.push_back(draft_stage(config));
  }

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
  // Messages from the links lie in the SRAM of all cores, beside the runtime.
  static wafer::wafer_config without_receive_buffer(const chain_config& config) {
    wafer::wafer_config chip = config.wafer;
    chip.code_bytes_per_core += base::ceil_div(config.link.receive_buffer_bytes, chip.cores());
    return chip;
  }

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
      // A stage gets cores in proportion to the bytes it keeps there.
      std::vector<double> shares;
      for (const std::size_t stage : wafers[w]) {
        const base::bytes kept = plan::weight_bytes(layers_[stage]) +
                                 cache_of(layers_[stage]) * static_cast<std::int64_t>(config_.concurrent_requests());
        shares.push_back(static_cast<double>(kept.value()));
      }
      std::vector<memory::core_rectangle> blocks;
      cut({0, 0, static_cast<std::uint32_t>(config_.wafer.rows), static_cast<std::uint32_t>(config_.wafer.columns)},
          shares.data(), shares.size(), blocks);
      for (std::size_t bank = 0; bank < wafers[w].size(); ++bank) {
        stage_site site;
        site.layer = layers_[wafers[w][bank]];
        site.wafer = w;
        site.bank = static_cast<std::uint32_t>(bank);
        site.block = blocks[bank];
        const kernels::rectangle block = {site.block.columns, site.block.rows};
        site.placed = place_once(site.layer, block);
        if (bank + 1 < blocks.size()) site.hops_to_next = hops_between(site.block, blocks[bank + 1]);
        route_to_links(site, bank == 0, bank + 1 == blocks.size());
        result.stages.push_back(std::move(site));
      }
    }
    return result;
  }

  // Passes enter a wafer in the middle of its first column and leave it in the middle of its last one.
  void route_to_links(stage_site& site, bool first, bool last) const {
    const std::int64_t off_middle =
        std::abs(2 * std::int64_t{site.block.row} + site.block.rows - config_.wafer.rows) / 2;
    auto& map = site.placed.map;
    if (first) map.hops_from_link = site.block.column + off_middle;
    if (last) map.hops_to_link = config_.wafer.columns - site.block.column - site.block.columns + off_middle;
    if (map.hops_from_link + map.hops_to_link == 0) return;
    site.placed.program = kernels::compile(site.layer, map, most_tokens(site.layer));
  }

  // The head sees one token of a prompt; the other stages whole chunks.
  std::uint64_t most_tokens(const plan::layer_plan& layer) const {
    if (layer.what == plan::layer_plan::stage::head) return config_.tokens_per_decode_pass();
    return config_.most_tokens_per_pass();
  }

  // Of a request at its longest.
  base::bytes cache_of(const plan::layer_plan& layer) const {
    return config_.kept_by_request(layer, config_.longest_context()).total();
  }

  const kernels::placed_stage& place_once(const plan::layer_plan& layer, const kernels::rectangle& block) {
    const std::string key = signature(layer, block);
    const auto known = placed_.find(key);
    if (known != placed_.end()) return known->second;
    kernels::planning_point point;
    // A draft stage goes through its layers once for each guess.
    point.tokens = layer.what == plan::layer_plan::stage::draft ? 1 : config_.tokens_per_decode_pass();
    point.context = config_.longest_context();
    point.cache = cache_of(layer);
    point.requests = config_.concurrent_requests();
    point.most_tokens = most_tokens(layer);
    return placed_.emplace(key, kernels::place(layer, block, point, room_, timing_)).first->second;
  }

  const chain_config& config_;
  std::vector<plan::layer_plan> layers_;
  wafer::launch_timing timing_;
  wafer::wafer_config room_;  // the wafer with what is left for stages
  std::map<std::string, kernels::placed_stage> placed_;
};

}  // namespace

plan::request_memory chain_config::kept_by_request(const plan::layer_plan& layer, std::uint64_t positions) const {
  plan::request_memory kept = plan::request_bytes(layer, positions);
  if (!load.acceptance.empty()) kept.state += kept.state;
  return kept;
}

std::uint64_t chain_config::concurrent_requests() const {
  std::uint64_t concurrent =
      load.arrivals == serving::arrival_process::closed ? std::min(load.users, load.requests) : 1;
  if (load.most_in_flight != 0) {
    concurrent = load.arrivals == serving::arrival_process::closed ? std::min(concurrent, load.most_in_flight)
                                                                   : load.most_in_flight;
  }
  return concurrent;
}

std::uint64_t chain_config::most_tokens_per_pass() const {
  return std::max(std::min(load.chunk_tokens, load.prompt_tokens), tokens_per_decode_pass());
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
  try {
    return planner(config).run();
  } catch (const base::bad_input& problem) {
    throw base::bad_input(fmt::format("{}: {}", config.model.name, problem.what()));
  }
}

std::uint64_t output_bytes_per_token(const chain_plan& plan, std::size_t stage) {
  constexpr std::uint64_t activation_element_bytes = 2;
  constexpr std::uint64_t token_bytes = 4;
  if (stage + 1 == plan.stages.size()) return token_bytes;
  if (plan.stages[stage].layer.what == plan::layer_plan::stage::head) {
    // To a draft stage: the token, and for a module the hidden state it was made of.
    const std::uint64_t hidden = plan.stages[stage + 1].layer.input_elements;
    return token_bytes + (hidden > 1 ? hidden * activation_element_bytes : 0);
  }
  return plan.stages[stage].layer.output_elements * activation_element_bytes;
}

largest_message largest_message_of(const chain_config& config, const chain_plan& plan) {
  largest_message largest;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const bool leaves_wafer = s + 1 == plan.stages.size() || plan.stages[s + 1].wafer != plan.stages[s].wafer;
    const std::uint64_t bytes = output_bytes_per_token(plan, s);
    if (leaves_wafer && bytes > largest.bytes_per_token) {
      largest = {plan.stages[s].layer.name, config.most_tokens_per_pass(), bytes};
    }
  }
  return largest;
}

}  // namespace scribeline::platforms
