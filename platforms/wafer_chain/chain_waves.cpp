#include "platforms/wafer_chain/chain_waves.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace scribeline::platforms {

namespace {

// Groups of the view that start open; the others are one line each.
constexpr std::size_t open_groups = 3;

constexpr const char* nothing = ".";

// "layer_7"
std::string name_of(const stage_site& site) {
  std::string name = site.layer.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

std::string wafer_scope(std::size_t w) {
  return fmt::format("chain.wafer_{:02}", w);
}

}  // namespace

stage_recorder::stage_recorder(trace::vcd_writer& vcd, trace::timeline_writer& timeline, const std::string& scope,
                               const std::string& track, const stage_site& site)
    : operations_(site.placed.program.operations),
      window_start_(vcd.options().window_start),
      window_end_(vcd.options().window_end),
      pass_(vcd.add_text("chain.pipeline", name_of(site), nothing)),
      activity_(vcd.add_text(scope, "activity", "idle")),
      request_(vcd.add_unsigned(scope, "request", 32)),
      position_(vcd.add_unsigned(scope, "position", 32)),
      tokens_(vcd.add_unsigned(scope, "tokens", 16)),
      queued_(vcd.add_unsigned(scope, "queued", 16)),
      track_(timeline.add_track(track, site.layer.name)) {}

void stage_recorder::show(trace::gtkw_view& view) const {
  view.show(activity_).show(request_).show(position_).show(tokens_).show(queued_);
}

void stage_recorder::message_arrived(const wafer::pass&, std::size_t queued) {
  queued_.set(queued);
  if (queued == 1) activity_.set("firmware");
}

// A launch takes well under a millisecond, so one that reaches into the window has begun by then.
bool stage_recorder::watches_operations() const {
  const sc_core::sc_time now = sc_core::sc_time_stamp();
  return now + sc_core::sc_time(1, sc_core::SC_MS) >= window_start_ && now <= window_end_;
}

void stage_recorder::launch_started(const wafer::pass& p) {
  launched_ = sc_core::sc_time_stamp();
  pass_.set(fmt::format("{}@{}", p.request, p.context));
  request_.set(p.request);
  position_.set(p.context);
  tokens_.set(p.tokens);
}

void stage_recorder::operation_started(std::uint32_t operation) {
  activity_.set(operations_[operation]);
}

void stage_recorder::launch_finished(const wafer::pass& p) {
  pass_.set(nothing);
  activity_.set("firmware");
  track_.span(fmt::format("request {}", p.request), launched_, sc_core::sc_time_stamp(),
              {{"position", static_cast<std::int64_t>(p.context)}, {"tokens", static_cast<std::int64_t>(p.tokens)}});
}

void stage_recorder::message_sent(const wafer::pass&, std::size_t queued) {
  queued_.set(queued);
  if (queued == 0) activity_.set("idle");
}

host_recorder::host_recorder(trace::vcd_writer& vcd, trace::timeline_writer& timeline)
    : timeline_(timeline),
      running_(vcd.add_unsigned("chain.host", "running", 16)),
      queued_(vcd.add_unsigned("chain.host", "queued", 16)),
      tokens_(vcd.add_unsigned("chain.host", "tokens", 32)),
      last_request_(vcd.add_unsigned("chain.host", "token_of_request", 32)) {}

void host_recorder::show(trace::gtkw_view& view) const {
  view.show(running_).show(queued_).show(tokens_).show(last_request_);
}

void host_recorder::request_arrived(const serving::request_record& r, std::size_t queued) {
  queued_.set(queued);
  users_.push_back(timeline_.add_track("requests", fmt::format("request {}", r.what.id)));
}

void host_recorder::request_started(const serving::request_record&, std::size_t running, std::size_t queued) {
  running_.set(running);
  queued_.set(queued);
}

void host_recorder::tokens_received(const serving::request_record& r, std::uint64_t tokens) {
  tokens_so_far_ += tokens;
  tokens_.set(tokens_so_far_);
  last_request_.set(r.what.id);
}

void host_recorder::request_finished(const serving::request_record& r, std::size_t running) {
  running_.set(running);
  const auto at = [](std::uint64_t ps) { return sc_core::sc_time::from_value(ps); };
  const auto& track = users_[r.what.id];
  if (r.started_ps > r.arrival_ps) track.span("queue", at(r.arrival_ps), at(r.started_ps));
  track.span("prompt", at(r.started_ps), at(r.first_token_ps));
  track.span("decode", at(r.first_token_ps), at(r.last_token_ps),
             {{"tokens", static_cast<std::int64_t>(r.emitted)}, {"passes", static_cast<std::int64_t>(r.passes)}});
}

chain_waves::chain_waves(wafer_chain& chain, const chain_config& config, const std::string& vcd_file,
                         const std::string& view_file, const std::string& timeline_file,
                         const trace::vcd_options& options)
    : chain_(chain),
      view_file_(view_file),
      vcd_(vcd_file, options),
      timeline_(timeline_file),
      view_(std::filesystem::path(vcd_file).filename().string()),
      host_(std::make_unique<host_recorder>(vcd_, timeline_)) {
  const auto& plan = chain.plan();
  chain.host.observe(*host_);
  links_.emplace_back(vcd_, timeline_, "chain.host.link", "host", config.link);
  chain.host.to_chain.observe(&links_.back());
  for (const auto& site : plan.stages) {
    stages_.emplace_back(vcd_, timeline_, fmt::format("{}.{}", wafer_scope(site.wafer), name_of(site)),
                         fmt::format("wafer {:02}", site.wafer), site);
    chain.bank(stages_.size() - 1).observe(stages_.back());
  }
  for (std::size_t w = 0; w < plan.wafers; ++w) {
    links_.emplace_back(vcd_, timeline_, wafer_scope(w) + ".link", fmt::format("wafer {:02}", w), config.link);
    chain.wafers[w].downstream.observe(&links_.back());
  }
}

void chain_waves::compose_view() {
  const auto& plan = chain_.plan();
  view_.group("host");
  host_->show(view_);
  view_.group("pipeline: request@position in every stage");
  for (const auto& stage : stages_)
    view_.show(stage.pass());
  view_.group("host link");
  links_[0].show(view_);
  for (std::size_t w = 0; w < plan.wafers; ++w) {
    const auto hosted = plan.stages_of(w);
    std::string title = fmt::format("wafer {}: {}", w, plan.stages[hosted.front()].layer.name);
    if (hosted.size() > 1) title += fmt::format(" .. {}", plan.stages[hosted.back()].layer.name);
    view_.group(title, w >= open_groups);
    for (const std::size_t s : hosted)
      stages_[s].show(view_);
    links_[w + 1].show(view_);
  }
}

void chain_waves::close() {
  compose_view();
  // Opens where the first answer begins.
  const auto& window = vcd_.options();
  const sc_core::sc_time end = std::min(window.window_end, sc_core::sc_time_stamp());
  sc_core::sc_time from = window.window_start;
  sc_core::sc_time to = end;
  const auto& records = chain_.host.records();
  if (!records.empty() && records.front().emitted > 1) {
    const auto first = sc_core::sc_time::from_value(records.front().first_token_ps);
    const auto pass = sc_core::sc_time::from_value((records.front().last_token_ps - records.front().first_token_ps) /
                                                   (records.front().emitted - 1));
    if (first > from && first < to) {
      to = std::min(to, first + pass / 4);  // short enough to read the words
      from = std::max(from, first - std::min(first, pass / 16));
    }
  }
  view_.open_at(from, to);
  view_.write(view_file_, vcd_);
  vcd_.close();
  timeline_.close();
}

}  // namespace scribeline::platforms
