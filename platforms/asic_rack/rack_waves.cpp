#include "platforms/asic_rack/rack_waves.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace scribeline::platforms {

namespace {

// Groups of the view that start open; the others are one line each.
constexpr std::size_t open_groups = 3;

const char* resource_of(accelerator::opcode op) {
  if (accelerator::is_exchange(op)) return "network";
  return op == accelerator::opcode::elementwise ? "vector" : "hbm";
}

std::string scope_of(std::size_t stage) {
  return fmt::format("rack.rank_{:02}", stage);
}

}  // namespace

rank_recorder::rank_recorder(trace::vcd_writer& vcd, trace::timeline_writer& timeline, std::size_t stage,
                             const rack_stage& what)
    : program_(what.program),
      window_start_(vcd.options().window_start),
      window_end_(vcd.options().window_end),
      operation_(vcd.add_text(scope_of(stage), "operation", "idle")),
      layer_(vcd.add_text(scope_of(stage), "layer", ".")),
      resource_(vcd.add_text(scope_of(stage), "resource", "idle")),
      launching_(vcd.add_bit(scope_of(stage), "launching")),
      tokens_(vcd.add_unsigned(scope_of(stage), "tokens", 32)),
      sequences_(vcd.add_unsigned(scope_of(stage), "sequences", 32)),
      context_(vcd.add_unsigned(scope_of(stage), "context", 32)),
      track_(timeline.add_track("rack", fmt::format("stage {}", stage))) {}

void rank_recorder::show(trace::gtkw_view& view) const {
  view.show(launching_).show(layer_).show(operation_).show(resource_).show(tokens_).show(sequences_).show(context_);
}

void rank_recorder::launch_started(const accelerator::launch_arguments& arguments) {
  launched_ = sc_core::sc_time_stamp();
  arguments_ = arguments;
  launching_.set(true);
  tokens_.set(arguments.tokens);
  sequences_.set(arguments.sequences);
  context_.set(arguments.context);
}

// A launch takes well under a second, so one that reaches into the window has begun by then.
bool rank_recorder::watches_operations() const {
  const sc_core::sc_time now = sc_core::sc_time_stamp();
  return now + sc_core::sc_time(1, sc_core::SC_SEC) >= window_start_ && now <= window_end_;
}

void rank_recorder::operation_started(std::uint32_t operation) {
  const auto& named = program_.operations[operation];
  operation_.set(named.name);
  layer_.set(named.layer);
  // Every operation of a program has one descriptor, at the same index.
  resource_.set(resource_of(program_.descriptors[operation].op));
}

void rank_recorder::launch_finished() {
  launching_.set(false);
  operation_.set("idle");
  layer_.set(".");
  resource_.set("idle");
  track_.span(fmt::format("{} tokens", arguments_.tokens), launched_, sc_core::sc_time_stamp(),
              {{"sequences", static_cast<std::int64_t>(arguments_.sequences)},
               {"context", static_cast<std::int64_t>(arguments_.context)}});
}

rack_waves::rack_waves(asic_rack& rack, const std::string& vcd_file, const std::string& view_file,
                       const std::string& timeline_file, const trace::vcd_options& options)
    : rack_(rack),
      view_file_(view_file),
      vcd_(vcd_file, options),
      timeline_(timeline_file),
      view_(std::filesystem::path(vcd_file).filename().string()) {
  const auto& stages = rack.plan().stages;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    ranks_.emplace_back(vcd_, timeline_, s, stages[s]);
    rack.ranks[s].observe(ranks_.back());
  }
}

void rack_waves::close() {
  for (std::size_t s = 0; s < ranks_.size(); ++s) {
    const auto& layers = rack_.plan().stages[s].layers;
    view_.group(fmt::format("stage {}: {} .. {}", s, layers.front().name, layers.back().name), s >= open_groups);
    ranks_[s].show(view_);
  }
  // Opens where the first answer begins, on a few layers.
  const auto& window = vcd_.options();
  const sc_core::sc_time end = std::min(window.window_end, sc_core::sc_time_stamp());
  sc_core::sc_time from = window.window_start;
  sc_core::sc_time to = end;
  const auto& records = rack_.host.records();
  if (!records.empty() && records.front().emitted > 1) {
    const auto first = sc_core::sc_time::from_value(records.front().first_token_ps);
    const auto pass = sc_core::sc_time::from_value((records.front().last_token_ps - records.front().first_token_ps) /
                                                   (records.front().emitted - 1));
    if (first > from && first < to) {
      from = first;
      to = std::min(to, first + pass / 8);
    }
  }
  view_.open_at(from, to);
  view_.write(view_file_, vcd_);
  vcd_.close();
  timeline_.close();
}

}  // namespace scribeline::platforms
