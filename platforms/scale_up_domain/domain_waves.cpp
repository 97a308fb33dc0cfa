#include "platforms/scale_up_domain/domain_waves.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace scribeline::platforms {
namespace {

constexpr int open_groups = 4;  // of the view; the others are one line each

std::string rank_scope(const scale_up_domain& d, int rank) {
  return fmt::format("{}.rank_{:03}", d.basename(), rank);
}

std::string plane_scope(const scale_up_domain& d, int plane) {
  return fmt::format("{}.plane_{}", d.basename(), plane);
}

std::vector<trace::unsigned_signal> by_channel(trace::vcd_writer& vcd, const std::string& scope, const char* what,
                                               int width, const std::vector<std::string>& channels) {
  std::vector<trace::unsigned_signal> signals;
  for (const std::string& channel : channels)
    signals.push_back(vcd.add_unsigned(scope, fmt::format("{}_{}", what, channel), width));
  return signals;
}

}  // namespace

std::vector<std::string> channel_names(const scale_up_config& config) {
  std::vector<std::string> names;
  for (int v = 0; v < domain_link(config).virtual_channels; ++v)
    names.push_back(fmt::format("vc{}", v));
  names[config.endpoint.collective_channel] = "col";
  names[config.endpoint.response_channel] = "rsp";
  names[config.endpoint.request_channel] = "req";
  return names;
}

port_recorder::port_recorder(trace::vcd_writer& vcd, trace::timeline_writer& timeline, const std::string& scope,
                             const std::string& process, const std::vector<std::string>& channels)
    : sending_(vcd.add_bit(scope, "sending")),
      credits_(by_channel(vcd, scope, "credits", 32, channels)),
      retry_(vcd.add_text(scope, "retry", "idle")),
      replay_frames_(vcd.add_unsigned(scope, "replay_frames", 16)),
      track_(timeline.add_track(process, scope)) {}

void port_recorder::show(trace::gtkw_view& view) const {
  view.show(sending_);
  for (const trace::unsigned_signal& c : credits_)
    view.show(c, trace::display::analog);
  view.show(retry_).show(replay_frames_, trace::display::decimal);
}

void port_recorder::transmit_started(const link::frame& f, const sc_core::sc_time& until) {
  sending_.set(true);
  end_ = until;
  track_.span("frame", sc_core::sc_time_stamp(), until, {{"bytes", f.payload_bytes}, {"channel", f.virtual_channel}});
}

void port_recorder::transmit_idle() {
  sending_.set(false);
}

void port_recorder::credits(int virtual_channel, std::int64_t bytes) {
  credits_[virtual_channel].set(static_cast<std::uint64_t>(bytes));
}

void port_recorder::replaying(bool on) {
  replaying_ = on;
  show_retry();
}

void port_recorder::discarding(bool on) {
  discarding_ = on;
  show_retry();
}

void port_recorder::show_retry() {
  retry_.set(replaying_ ? "replaying" : discarding_ ? "discarding" : "idle");
}

void port_recorder::replay_buffer(std::int64_t frames, std::int64_t) {
  replay_frames_.set(static_cast<std::uint64_t>(frames));
}

void port_recorder::link_down() {
  sending_.set(false);
  retry_.set("down");
}

endpoint_recorder::endpoint_recorder(trace::vcd_writer& vcd, const std::string& scope,
                                     const std::vector<std::string>& channels)
    : packing_(vcd.add_unsigned(scope, "packing", 16)), waiting_(by_channel(vcd, scope, "waiting", 48, channels)) {}

void endpoint_recorder::show(trace::gtkw_view& view) const {
  view.show(packing_, trace::display::decimal);
  for (const trace::unsigned_signal& w : waiting_)
    view.show(w, trace::display::analog);
}

void endpoint_recorder::pdu_packed(int, int, std::int64_t transactions) {
  packing_.set(static_cast<std::uint64_t>(transactions));
}

void endpoint_recorder::queued_bytes(int channel, std::int64_t bytes) {
  if (static_cast<std::size_t>(channel) < waiting_.size()) waiting_[channel].set(static_cast<std::uint64_t>(bytes));
}

switch_recorder::switch_recorder(trace::vcd_writer& vcd, const std::string& scope, int ports,
                                 const std::vector<std::string>& channels) {
  for (int p = 0; p < ports; ++p)
    queues_.push_back(by_channel(vcd, fmt::format("{}.port_{:03}", scope, p), "queue", 24, channels));
}

void switch_recorder::show(trace::gtkw_view& view, int port) const {
  for (const trace::unsigned_signal& q : queues_[port])
    view.show(q, trace::display::decimal);
}

void switch_recorder::queue_depth(int output, int virtual_channel, std::int64_t frames) {
  if (static_cast<std::size_t>(output) < queues_.size())
    queues_[output][virtual_channel].set(static_cast<std::uint64_t>(frames));
}

domain_waves::domain_waves(scale_up_domain& domain, const std::string& vcd_file, const std::string& view_file,
                           const std::string& timeline_file, const trace::vcd_options& options, int ranks, int planes)
    : domain_(domain),
      view_file_(view_file),
      ranks_(std::min(ranks, domain.ranks())),
      planes_(std::min(planes, domain.planes())),
      channels_(channel_names(domain.config())),
      vcd_(vcd_file, options),
      timeline_(timeline_file) {
  for (int r = 0; r < ranks_; ++r)
    add_rank(r);
  for (int p = 0; p < planes_; ++p)
    add_plane(p);
}

void domain_waves::add_rank(int rank) {
  const std::string scope = rank_scope(domain_, rank);
  endpoints_.emplace_back(vcd_, scope, channels_);
  domain_.rank(rank).observe(&endpoints_.back());
  for (int p = 0; p < planes_; ++p) {
    rank_ports_.emplace_back(vcd_, timeline_, fmt::format("{}.plane_{}", scope, p), fmt::format("rank {}", rank),
                             channels_);
    domain_.rank(rank).ports[p].observe(&rank_ports_.back());
  }
}

void domain_waves::add_plane(int plane) {
  const std::string scope = plane_scope(domain_, plane);
  switches_.emplace_back(vcd_, scope, ranks_, channels_);
  domain_.plane(plane).observe(&switches_.back());
  for (int r = 0; r < ranks_; ++r) {
    switch_ports_.emplace_back(vcd_, timeline_, fmt::format("{}.port_{:03}", scope, r), fmt::format("plane {}", plane),
                               channels_);
    domain_.plane(plane).ports[r].observe(&switch_ports_.back());
  }
}

void domain_waves::close() {
  trace::gtkw_view view(std::filesystem::path(vcd_.path()).filename().string());
  for (int r = 0; r < ranks_; ++r) {
    view.group(fmt::format("rank {}", r), r >= open_groups);
    endpoints_[r].show(view);
    for (int p = 0; p < planes_; ++p) {
      view.comment(fmt::format("port on plane {}", p));
      rank_ports_[r * planes_ + p].show(view);
    }
  }
  for (int p = 0; p < planes_; ++p)
    for (int r = 0; r < ranks_; ++r) {
      view.group(fmt::format("switch of plane {}, port to rank {}", p, r), r >= open_groups);
      switches_[p].show(view, r);
      switch_ports_[p * ranks_ + r].show(view);
    }
  const sc_core::sc_time& from = vcd_.options().window_start;
  sc_core::sc_time reached;
  for (const auto* ports : {&rank_ports_, &switch_ports_})
    for (const port_recorder& p : *ports)
      reached = std::max(reached, p.end());
  reached = std::min(reached, vcd_.options().window_end);
  view.open_at(from, reached > from ? reached : from + sc_core::sc_time(1, sc_core::SC_NS));
  view.write(view_file_, vcd_);
  vcd_.close();
  timeline_.close();
}

}  // namespace scribeline::platforms
