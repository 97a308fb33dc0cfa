// The receiving side of the endpoint: from frames to arrivals and completions; its timers.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "rtl_tlm/sue/endpoint.h"
#include "rtl_tlm/switch/network_header.h"

namespace scribeline::sue {

using sc_core::sc_time;
using sc_core::sc_time_stamp;
using switching::network_header;

void endpoint::frame_is_in(int plane, link::frame& f) {
  bool taken = true;
  if (network_header::read_from(f.content).what == switching::operation::result) {
    take_result(f, plane);
  } else {
    const auto h = reliability_header::unpack(f.content.header[reliability_word]);
    connection& c = connect_to(h.source, h.channel);
    if (h.acknowledges != acknowledgement::none) take_acknowledgement(c, h);
    if (h.carries_data) taken = take_data(c, f, h, plane);
  }
  if (taken) ports[plane].free_buffer(f.virtual_channel, f.payload_bytes);
}

void endpoint::take_acknowledgement(connection& c, const reliability_header& h) {
  const bool nack = h.acknowledges == acknowledgement::nack;
  const std::int64_t named = extend_psn(h.acked_psn, c.out.first_unacknowledged());
  const bool progress = c.out.acknowledge(nack ? named - 1 : named, [this, &c](const segment& s) {
    ++statistics_.transfers_completed;
    statistics_.bytes_acknowledged += s.transfer_bytes;
    if (!completion_handler_) return;
    completion_handler_({s.id, c.peer, base::bytes{s.transfer_bytes}, s.tag, s.began_at});
  });
  if (progress) {
    c.out.last_progress = sc_time_stamp();
    c.out.retries = 0;
  }
  if (nack) c.out.go_back_to(named);
  if (!progress && !nack) return;
  activate(c);
  fill_any(c.channel);
}

bool endpoint::take_data(connection& c, const link::frame& f, const reliability_header& h, int plane) {
  const std::int64_t psn = extend_psn(h.psn, c.in.expected());
  pdu& p = *reinterpret_cast<pdu*>(f.content.header[pdu_word]);
  ++statistics_.pdus_arrived;
  bool taken = true;
  bool at_once = false;
  switch (c.in.accept(p, psn, plane)) {
    case verdict::in_order:
      taken = take_in_order(c, p, plane, f.payload_bytes);
      while (pdu* const held = c.in.next_held()) {
        take_in_order(c, *held, plane, 0);
        held->release();
      }
      break;
    case verdict::held:
      ++statistics_.held;
      break;
    case verdict::duplicate:
      ++statistics_.duplicates;
      at_once = true;  // its acknowledgement may have been lost
      break;
    case verdict::no_room:
      ++statistics_.no_room;
      break;
  }
  if (c.in.unacknowledged++ == 0) c.in.unacknowledged_since = sc_time_stamp();
  if (c.in.nack_due(c.planes & planes_up_)) c.in.nack_pending = at_once = true;
  owe_acknowledgement(c, at_once || c.in.unacknowledged >= config_.ack_every);
  return taken;
}

// Requests that find too many responses waiting keep their room in the receive buffer, and all behind them.
bool endpoint::take_in_order(connection& c, pdu& p, int plane, std::int64_t buffer_bytes) {
  const bool asks = c.channel == config_.request_channel;
  if (!asks || (waiting_requests_.empty() && response_backlog_ < config_.response_queue_bytes)) {
    consume(c, p);
    return true;
  }
  p.acquire();
  waiting_requests_.push_back({&c, &p, plane, buffer_bytes});
  return false;
}

void endpoint::serve_waiting_requests() {
  while (!waiting_requests_.empty() && response_backlog_ < config_.response_queue_bytes) {
    const waiting_request w = waiting_requests_.front();
    waiting_requests_.pop_front();
    consume(*w.from, *w.what);
    w.what->release();
    if (w.buffer_bytes > 0) ports[w.plane].free_buffer(w.from->channel, w.buffer_bytes);
  }
}

void endpoint::consume(connection& c, const pdu& p) {
  statistics_.bytes_arrived += p.bytes;
  const sc_time now = sc_time_stamp();
  for (const segment& s : p.segments) {
    if (!s.last) continue;
    ++statistics_.transfers_arrived;
    if (s.kind == transfer_kind::read_request) {
      response_backlog_ += s.asked_bytes;
      begin(transfer_kind::read_response, c.peer, base::bytes{s.asked_bytes}, 0, config_.response_channel, s.tag,
            s.began_at, bridge_);
      continue;
    }
    arrival a;
    a.kind = s.kind;
    a.source = c.peer;
    a.size = base::bytes{s.transfer_bytes};
    a.tag = s.tag;
    a.began_at = s.began_at;
    arrivals_.insert(now + bridge_, a);
    deliver_due_.notify(arrivals_.front().when - now);
  }
}

void endpoint::take_result(const link::frame& f, int plane) {
  const network_header n = network_header::read_from(f.content);
  contribution r;
  r.group = n.destination;
  r.sequence = n.sequence;
  r.value = n.value;
  r.bytes = f.payload_bytes - frame_bytes(config_, 0);
  ++statistics_.results_arrived;
  statistics_.bytes_arrived += r.bytes;
  std::optional<arrival> whole;
  try {
    whole = collectives_.result(r, plane);
  } catch (const std::logic_error& problem) {
    return error("/scribeline/sue/protocol", problem.what());
  }
  if (!whole) return;
  const sc_time now = sc_time_stamp();
  arrivals_.insert(now + bridge_, *whole);
  deliver_due_.notify(arrivals_.front().when - now);
}

void endpoint::deliver() {
  const sc_time now = sc_time_stamp();
  while (arrivals_.due(now)) {
    const arrival a = arrivals_.take();
    if (observer_ != nullptr) observer_->arrived(a);
    if (arrival_handler_) arrival_handler_(a);
  }
  if (!arrivals_.empty()) deliver_due_.notify(arrivals_.front().when - now);
}

void endpoint::owe_acknowledgement(connection& c, bool at_once) {
  if (at_once) {
    if (!c.in.ack_queued) acks_.push_back(&c);
    c.in.ack_queued = true;
    fill_any(config_.response_channel);
  } else if (!c.in.ack_timer_runs) {
    c.in.ack_timer_runs = true;
    late_acks_.insert(sc_time_stamp() + ack_delay_, &c);
    ack_due_.notify(late_acks_.front().when - sc_time_stamp());
  }
}

void endpoint::acknowledge_late() {
  const sc_time now = sc_time_stamp();
  while (late_acks_.due(now)) {
    connection& c = *late_acks_.take();
    // What was owed when the timer began may have gone back with a PDU; then it runs on for what has come since.
    const bool late = c.in.unacknowledged_since + ack_delay_ <= now;
    c.in.ack_timer_runs = c.in.owes_acknowledgement() && !late;
    if (c.in.ack_timer_runs)
      late_acks_.insert(c.in.unacknowledged_since + ack_delay_, &c);
    else if (c.in.owes_acknowledgement())
      owe_acknowledgement(c, true);
  }
  if (!late_acks_.empty()) ack_due_.notify(late_acks_.front().when - now);
}

// For the PDU that goes back next; the debt is paid with it.
reliability_header endpoint::acknowledgement_to(connection& c) {
  reliability_header h;
  h.source = rank_;
  h.channel = c.channel;
  if (c.in.nack_pending) {
    h.acknowledges = acknowledgement::nack;
    h.acked_psn = static_cast<std::uint16_t>(c.in.expected());
  } else if (c.in.expected() > 0) {
    h.acknowledges = acknowledgement::ack;
    h.acked_psn = static_cast<std::uint16_t>(c.in.expected() - 1);
  }
  c.in.unacknowledged = 0;
  c.in.nack_pending = false;
  return h;
}

void endpoint::arm_retry(const sc_time& in) {
  if (retry_armed_) return;
  retry_armed_ = true;
  retry_due_.notify(in);
}

void endpoint::retry() {
  const sc_time now = sc_time_stamp();
  retry_armed_ = false;
  sc_time next = sc_core::sc_max_time();
  for (connection* const c : connections_) {
    if (!c->out.awaits_acknowledgement()) continue;
    if (c->out.last_progress + retry_timeout_ <= now) {
      ++statistics_.timeouts;
      if (++c->out.retries > config_.retry_limit) {
        give_up(*c);
        continue;
      }
      c->out.go_back();
      c->out.last_progress = now;
      activate(*c);
    }
    next = std::min(next, c->out.last_progress + retry_timeout_);
  }
  if (next != sc_core::sc_max_time()) arm_retry(next - now);
  fill_all();
}

void endpoint::give_up(const connection& c) {
  error("/scribeline/sue/unreachable",
        fmt::format("rank {} has not acknowledged PDU {} on channel {} after {} repetitions, {} ns apart", c.peer,
                    c.out.first_unacknowledged(), c.channel, config_.retry_limit, config_.retry_timeout_ns));
}

}  // namespace scribeline::sue
