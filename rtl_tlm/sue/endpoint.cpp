#include "rtl_tlm/sue/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace scribeline::sue {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

namespace {

const endpoint_config& checked(const char* name, const endpoint_config& config, const link::link_config& link) {
  std::string problem = config.problem();
  const std::int64_t largest = frame_bytes(config, config.pdu_bytes * config.train_pdus);
  const int channels = 1 + std::max({config.request_channel, config.response_channel, config.collective_channel});
  if (problem.empty() && link.lanes != 1)
    problem = fmt::format("lanes = {} of its ports: a PDU is one frame, it takes 1", link.lanes);
  if (problem.empty() && link.frame_payload_bytes < largest)
    problem = fmt::format("frame_payload_bytes = {} of its ports: a PDU with headers has up to {} B",
                          link.frame_payload_bytes, largest);
  if (problem.empty() && link.virtual_channels < channels)
    problem =
        fmt::format("virtual_channels = {} of its ports: its traffic classes take {}", link.virtual_channels, channels);
  if (!problem.empty()) SC_REPORT_ERROR("/scribeline/sue/config", fmt::format("{}: {}", name, problem).c_str());
  return config;
}

}  // namespace

endpoint::endpoint(const sc_core::sc_module_name& name, int rank, const endpoint_config& config,
                   const link::link_config& link)
    : sc_module(name),
      ports("port"),
      config_(checked(this->name(), config, link)),
      rank_(rank),
      bridge_(base::picoseconds(config.bridge_ns * 1000)),
      ack_delay_(base::picoseconds(config.ack_delay_ns * 1000)),
      retry_timeout_(base::picoseconds(config.retry_timeout_ns * 1000)),
      active_(static_cast<std::size_t>(config.planes) * max_channels),
      stage_full_(static_cast<std::size_t>(config.planes) * max_channels, false),
      planes_up_(plane_set::first(config.planes)),
      planes_of_all_(planes_up_),
      collectives_(config_, config.planes),
      queued_bytes_(max_channels, 0) {
  if (rank < 0 || rank >= max_ranks)
    error("/scribeline/sue/config", fmt::format("rank {}: the reliability header knows 0 to {}", rank, max_ranks - 1));
  ports.init(static_cast<std::size_t>(config.planes),
             [&link](const char* port_name, std::size_t) { return new link::port(port_name, link); });
  for (int plane = 0; plane < config.planes; ++plane)
    ports[plane].attach(*this, plane, link::announce::last_bit);

  SC_HAS_PROCESS(endpoint);
  SC_METHOD(admit);
  sensitive << admit_due_;
  dont_initialize();
  SC_METHOD(deliver);
  sensitive << deliver_due_;
  dont_initialize();
  SC_METHOD(serve_waiting_requests);
  sensitive << serve_due_;
  dont_initialize();
  SC_METHOD(acknowledge_late);
  sensitive << ack_due_;
  dont_initialize();
  SC_METHOD(retry);
  sensitive << retry_due_;
  dont_initialize();
}

bool endpoint::check_transfer(int destination, base::bytes size) const {
  std::string problem;
  if (size.value() < 1) problem = fmt::format("a transfer of {} B: it takes at least 1", size.value());
  if (destination == rank_) problem = "a transfer to itself: what stays in an accelerator does not pass its endpoint";
  if (destination < 0 || destination >= max_ranks)
    problem = fmt::format("a transfer to rank {}: ranks are 0 to {}", destination, max_ranks - 1);
  if (!problem.empty()) error("/scribeline/sue/transfer", problem);
  return problem.empty();
}

transfer_id endpoint::send(int destination, base::bytes size, std::uint64_t tag, const sc_time& delay) {
  if (!check_transfer(destination, size)) return 0;
  return begin(transfer_kind::send, destination, size, 0, config_.request_channel, tag, sc_time_stamp() + delay, delay);
}

transfer_id endpoint::read(int source, base::bytes size, std::uint64_t tag, const sc_time& delay) {
  if (!check_transfer(source, size)) return 0;
  // A command without data; the smallest transaction of scale-up Ethernet is 32 B.
  constexpr std::int64_t command_bytes = 32;
  return begin(transfer_kind::read_request, source, base::bytes{command_bytes}, size.value(), config_.request_channel,
               tag, sc_time_stamp() + delay, delay);
}

void endpoint::all_reduce(int group, base::bytes size, std::uint64_t tag, std::uint64_t value, const sc_time& delay) {
  if (group < 0) return error("/scribeline/sue/transfer", fmt::format("group {}: groups count from 0", group));
  if (size.value() < 1)
    return error("/scribeline/sue/transfer", fmt::format("an all-reduce of {} B: it takes at least 1", size.value()));
  const sc_time now = sc_time_stamp();
  const sc_time ready = now + delay + bridge_;
  begun_reductions_.insert(ready, {group, size, tag, value, now + delay});
  admit_due_.notify(ready - now);
}

transfer_id endpoint::begin(transfer_kind kind, int destination, base::bytes size, std::int64_t asked_bytes,
                            int channel, std::uint64_t tag, const sc_time& began_at, const sc_time& delay) {
  segment whole;
  whole.kind = kind;
  whole.bytes = size.value();
  whole.transfer_bytes = size.value();
  whole.asked_bytes = asked_bytes;
  whole.id = ++last_id_;
  whole.tag = tag;
  whole.began_at = began_at;
  ++statistics_.transfers_begun;
  const sc_time now = sc_time_stamp();
  const sc_time ready = now + delay + bridge_;
  begun_.insert(ready, {destination, channel, whole});
  admit_due_.notify(ready - now);
  return whole.id;
}

endpoint::connection& endpoint::connect_to(int peer, int channel) {
  const std::size_t place = static_cast<std::size_t>(peer) * max_channels + static_cast<std::size_t>(channel);
  if (place >= by_peer_.size()) by_peer_.resize(place + max_channels);
  std::unique_ptr<connection>& c = by_peer_[place];
  if (!c) {
    c = std::make_unique<connection>(config_, pdus_, peer, channel);
    connections_.push_back(c.get());
    c->planes = plane_set::first(config_.planes);
    for (const auto& [rank, plane] : lost_paths_)
      if (rank == peer) c->planes.erase(plane);
  }
  return *c;
}

void endpoint::lose_path(int peer, int plane) {
  lost_paths_.emplace_back(peer, plane);
  planes_of_all_.erase(plane);
  for (connection* const c : connections_) {
    if (c->peer != peer) continue;
    c->planes.erase(plane);
    c->out.go_back();
  }
  reroute();
}

void endpoint::link_is_down(int plane) {
  // What did not arrive lies in the retry buffers, too.
  ports[plane].take_back();
  for (int channel = 0; channel < max_channels; ++channel)
    stage_full_[static_cast<std::size_t>(plane * max_channels + channel)] = false;
  planes_up_.erase(plane);
  planes_of_all_.erase(plane);
  // Which plane has what is unknown here: all that is not acknowledged goes again.
  for (connection* const c : connections_)
    c->out.go_back();
  reroute();
}

// The queues of the ports are rebuilt, for destinations may have changed theirs.
void endpoint::reroute() {
  for (auto& queue : active_)
    while (!queue.empty()) {
      queue.front()->out.queued_for_port = false;
      queue.pop_front();
    }
  for (connection* const c : connections_) {
    if ((c->planes & planes_up_).empty() && (c->out.outstanding() || c->out.may_send()))
      return error("/scribeline/sue/unreachable", fmt::format("no plane is left to rank {}", c->peer));
    activate(*c);
  }
  fill_all();
}

bool endpoint::is_idle() const {
  return begun_.empty() && begun_reductions_.empty() && arrivals_.empty() && waiting_requests_.empty() &&
         collectives_.is_idle() && std::none_of(connections_.begin(), connections_.end(), [](const connection* c) {
           return c->out.outstanding() || c->out.may_send();
         });
}

std::string endpoint::why_blocked() const {
  std::string reasons;
  for (const connection* const c : connections_) {
    if (!c->out.outstanding() && !c->out.may_send()) continue;
    reasons += fmt::format(
        "{}: rank {} owes rank {} on channel {} the acknowledgement of {} PDUs from number {} on; {} B more wait to be "
        "sent\n",
        name(), c->peer, rank_, c->channel, c->out.window_pdus(), c->out.first_unacknowledged(), c->out.queued_bytes());
  }
  if (!waiting_requests_.empty())
    reasons += fmt::format("{}: {} PDUs with requests wait until fewer than {} B of responses wait (now {} B)\n",
                           name(), waiting_requests_.size(), config_.response_queue_bytes, response_backlog_);
  reasons += collectives_.why_blocked(name());
  for (int plane = 0; plane < config_.planes; ++plane)
    reasons += ports[plane].why_blocked();
  return reasons;
}

void endpoint::error(const char* id, const std::string& problem) const {
  SC_REPORT_ERROR(id, fmt::format("{}: {}", name(), problem).c_str());
}

}  // namespace scribeline::sue
