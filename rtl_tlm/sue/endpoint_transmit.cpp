// The sending side of the endpoint: from transfers to PDUs in the output stages of the ports.
#include <fmt/format.h>

#include "rtl_tlm/sue/endpoint.h"
#include "rtl_tlm/switch/network_header.h"

namespace scribeline::sue {

using sc_core::sc_time;
using sc_core::sc_time_stamp;
using switching::network_header;

// Transfers that have passed the bridge may be packed, all of one time before the ports look.
void endpoint::admit() {
  const sc_time now = sc_time_stamp();
  while (begun_.due(now)) {
    const begun_transfer t = begun_.take();
    connection& c = connect_to(t.destination, t.channel);
    c.out.add(t.whole);
    queued_bytes_[t.channel] += t.whole.bytes;
    if (observer_ != nullptr) observer_->queued_bytes(t.channel, queued_bytes_[t.channel]);
    activate(c);
  }
  while (begun_reductions_.due(now)) {
    const begun_reduction r = begun_reductions_.take();
    collectives_.begin(r.group, r.size, r.tag, r.value, r.began_at, planes_of_all_);
  }
  fill_all();
  if (!begun_.empty()) admit_due_.notify(begun_.front().when - now);
  if (!begun_reductions_.empty()) admit_due_.notify(begun_reductions_.front().when - now);
}

// Whose turn it is: one queue a channel for all planes, or one for each plane.
int endpoint::queue_of(const connection& c) const {
  const plane_set planes = c.planes & planes_up_;
  const bool own_plane = config_.spray == spraying::per_destination && !planes.empty();
  const int plane = own_plane ? planes.at((rank_ + c.peer) % planes.size()) : 0;
  return plane * max_channels + c.channel;
}

void endpoint::activate(connection& c) {
  if (c.out.queued_for_port || !c.out.may_send()) return;
  c.out.queued_for_port = true;
  active_[static_cast<std::size_t>(queue_of(c))].push_back(&c);
}

void endpoint::fill_all() {
  for (int channel = 0; channel < max_channels; ++channel)
    fill_any(channel);
}

// Ports are asked in turn, so that PDUs that come one by one are spread over the planes.
void endpoint::fill_any(int channel) {
  const int first = next_plane_;
  for (int i = 0; i < config_.planes; ++i)
    fill((first + i) % config_.planes, channel);
}

void endpoint::fill(int plane, int channel) {
  const auto stage = static_cast<std::size_t>(plane * max_channels + channel);
  // A frame may leave while it is handed over: then the stage is free at once.
  while (!stage_full_[stage] && planes_up_.has(plane)) {
    const bool filled = (channel == config_.response_channel && fill_with_ack(plane)) ||
                        fill_with_data(plane, channel) ||
                        (channel == config_.collective_channel && fill_with_contribution(plane));
    if (!filled) return;
    next_plane_ = (plane + 1) % config_.planes;
  }
}

bool endpoint::fill_with_ack(int plane) {
  for (std::size_t looked_at = acks_.size(); looked_at > 0; --looked_at) {
    connection& c = *acks_.front();
    acks_.pop_front();
    if (!c.planes.has(plane)) {
      acks_.push_back(&c);
      continue;
    }
    c.in.ack_queued = false;
    // A PDU that went back meanwhile may have taken it along.
    if (!c.in.owes_acknowledgement()) continue;
    reliability_header h = acknowledgement_to(c);
    h.carries_data = false;
    if (h.acknowledges == acknowledgement::nack)
      ++statistics_.nacks_sent;
    else
      ++statistics_.acks_sent;
    transmit(plane, config_.response_channel, c.peer, 0, h, nullptr);
    return true;
  }
  return false;
}

bool endpoint::fill_with_data(int plane, int channel) {
  const int group = config_.spray == spraying::per_pdu ? 0 : plane;
  auto& queue = active_[static_cast<std::size_t>(group * max_channels + channel)];
  for (std::size_t looked_at = queue.size(); looked_at > 0; --looked_at) {
    connection& c = *queue.front();
    queue.pop_front();
    if (!c.planes.has(plane)) {
      queue.push_back(&c);
      continue;
    }
    c.out.queued_for_port = false;
    // The window may have closed since it was queued.
    if (!c.out.may_send()) continue;
    if (!c.out.awaits_acknowledgement()) {
      c.out.last_progress = sc_time_stamp();
      arm_retry(retry_timeout_);
    }
    pdu& p = c.out.take();
    activate(c);
    count_pdu(p, plane, channel);
    reliability_header h = acknowledgement_to(c);
    h.psn = static_cast<std::uint16_t>(p.psn);
    transmit(plane, channel, c.peer, p.bytes, h, &p);
    return true;
  }
  return false;
}

void endpoint::count_pdu(pdu& p, int plane, int channel) {
  const std::int64_t pdus = pdus_for(config_, p.bytes);
  statistics_.pdus_sent += pdus;
  if (p.sent_before) {
    statistics_.pdus_repeated += pdus;
    return;
  }
  p.sent_before = true;
  statistics_.transactions_sent += p.transactions;
  queued_bytes_[channel] -= p.bytes;
  for (const segment& s : p.segments)
    if (s.kind == transfer_kind::read_response) response_backlog_ -= s.bytes;
  if (!waiting_requests_.empty()) serve_due_.notify(sc_core::SC_ZERO_TIME);
  if (observer_ != nullptr) {
    observer_->pdu_packed(plane, channel, p.transactions);
    observer_->queued_bytes(channel, queued_bytes_[channel]);
  }
}

bool endpoint::fill_with_contribution(int plane) {
  if (!collectives_.may_send(plane)) return false;
  const contribution c = collectives_.take(plane);
  network_header n;
  n.what = switching::operation::reduce;
  n.destination = c.group;
  n.sequence = c.sequence;
  n.value = c.value;
  n.write_to(outgoing_.content);
  ++statistics_.contributions_sent;
  reliability_header h;
  h.source = rank_;
  h.channel = config_.collective_channel;
  hand_over(plane, config_.collective_channel, c.bytes, h, nullptr);
  return true;
}

void endpoint::transmit(int plane, int channel, int destination, std::int64_t bytes, const reliability_header& h,
                        pdu* p) {
  network_header n;
  n.destination = destination;
  n.write_to(outgoing_.content);
  hand_over(plane, channel, bytes, h, p);
}

void endpoint::hand_over(int plane, int channel, std::int64_t bytes, const reliability_header& h, pdu* p) {
  const std::int64_t size = frame_bytes(config_, bytes);
  outgoing_.content.size = base::bytes{size};
  outgoing_.content.virtual_channel = channel;
  outgoing_.content.request = p != nullptr && !p->segments.empty() ? p->segments.front().tag : 0;
  outgoing_.content.header[reliability_word] = h.pack();
  outgoing_.content.header[pdu_word] = reinterpret_cast<std::uint64_t>(p);
  outgoing_.payload_bytes = size;
  outgoing_.virtual_channel = channel;
  outgoing_.sent_at = sc_time_stamp();
  outgoing_.last = true;
  stage_full_[static_cast<std::size_t>(plane * max_channels + channel)] = true;
  ports[plane].forward(outgoing_, channel);
}

void endpoint::frame_departs(int plane, const link::frame& f, const sc_time&) {
  stage_full_[static_cast<std::size_t>(plane * max_channels + f.virtual_channel)] = false;
  fill(plane, f.virtual_channel);
}

}  // namespace scribeline::sue
