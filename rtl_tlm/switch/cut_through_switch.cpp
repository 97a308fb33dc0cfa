#include "rtl_tlm/switch/cut_through_switch.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace scribeline::switching {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

namespace {

const switch_config& checked(const char* name, const switch_config& config, const link::link_config& link) {
  std::string problem = config.problem();
  const std::int64_t needed = std::int64_t{config.ports} * link.virtual_channels * link.receive_buffer_bytes;
  if (problem.empty() && link.lanes != 1)
    problem = fmt::format("lanes = {} of its ports: a frame is switched whole, it takes 1", link.lanes);
  if (problem.empty() && needed > config.buffer_bytes)
    problem = fmt::format("buffer_bytes = {}: {} ports with {} virtual channels of receive_buffer_bytes = {} take {}",
                          config.buffer_bytes, config.ports, link.virtual_channels, link.receive_buffer_bytes, needed);
  if (!problem.empty()) SC_REPORT_ERROR("/scribeline/switch/config", fmt::format("{}: {}", name, problem).c_str());
  return config;
}

}  // namespace

cut_through_switch::cut_through_switch(const sc_core::sc_module_name& name, const switch_config& config,
                                       const link::link_config& link)
    : sc_module(name),
      ports("port"),
      config_(checked(this->name(), config, link)),
      link_(link),
      channels_(link.virtual_channels),
      latency_(base::picoseconds(config.latency_ns * 1000)),
      reduce_(base::picoseconds(config.reduce_ns * 1000)),
      lanes_(static_cast<std::size_t>(config.ports) * static_cast<std::size_t>(link.virtual_channels)),
      queues_(lanes_.size() * static_cast<std::size_t>(config.ports)),
      free_at_(static_cast<std::size_t>(config.ports)) {
  ports.init(static_cast<std::size_t>(config.ports),
             [&link](const char* port_name, std::size_t) { return new link::port(port_name, link); });
  for (int p = 0; p < config.ports; ++p)
    ports[p].attach(*this, p);
  for (output_lane& l : lanes_)
    l.inputs = input_set(config.ports);
}

void cut_through_switch::set_route(int destination, int port) {
  if (destination < 0 || port < 0 || port >= config_.ports)
    return error("/scribeline/switch/config", fmt::format("a route from destination {} to port {}: ports are 0 to {}",
                                                          destination, port, config_.ports - 1));
  if (static_cast<std::size_t>(destination) >= routes_.size())
    routes_.resize(static_cast<std::size_t>(destination) + 1, -1);
  routes_[destination] = port;
}

void cut_through_switch::set_group(int group, const std::vector<int>& member_ports) {
  for (const int port : member_ports)
    if (port < 0 || port >= config_.ports)
      return error("/scribeline/switch/config",
                   fmt::format("group {} with port {}: ports are 0 to {}", group, port, config_.ports - 1));
  if (static_cast<std::size_t>(group) >= groups_.size()) {
    groups_.resize(static_cast<std::size_t>(group) + 1);
    reducers_.resize(static_cast<std::size_t>(group) + 1);
  }
  groups_[group] = member_ports;
  reducers_[group] = reducer(member_ports);
}

// The last bit cannot leave before it came.
sc_time cut_through_switch::ready_time(const link::frame& f, const sc_time& last_bit) {
  if (f.payload_bytes != timed_bytes_) {
    timed_bytes_ = f.payload_bytes;
    timed_ = link::frame_time(link_, timed_bytes_);
  }
  const sc_time now = sc_time_stamp();
  return (f.wire_time > timed_ ? last_bit - timed_ : now) + latency_;
}

void cut_through_switch::frame_arrives(int input, link::frame& f, const sc_time& last_bit) {
  ++statistics_.frames_in;
  f.acquire();
  stored_frame s;
  s.f = &f;
  s.input = input;
  s.last_bit = last_bit;
  s.ready = ready_time(f, last_bit);
  const frame_slot slot = store_.insert(s);
  const network_header n = network_header::read_from(f.content);
  const bool to_group = n.what != operation::unicast;
  const auto known = static_cast<int>(to_group ? groups_.size() : routes_.size());
  if (n.destination < 0 || n.destination >= known)
    return refuse(
        slot, fmt::format("a frame to {} {}, which is not known", to_group ? "group" : "destination", n.destination));
  if (n.what == operation::unicast) {
    const int output = routes_[n.destination];
    if (output < 0) return refuse(slot, fmt::format("a frame to destination {}, which has no route", n.destination));
    store_.at(slot).copies = 1;
    enqueue(output, input, slot);
  } else if (n.what == operation::multicast) {
    multicast(groups_[n.destination], input, input, slot);
  } else {
    contribute(input, slot, n);
  }
}

void cut_through_switch::contribute(int input, frame_slot slot, const network_header& n) {
  ++statistics_.contributions;
  try {
    if (const auto done = reducers_[n.destination].add(input, slot, n.sequence, n.value))
      send_result(*done, n.destination);
  } catch (const std::logic_error& problem) {
    error("/scribeline/switch/reduction", fmt::format("group {}: {}", n.destination, problem.what()));
  }
}

// The result takes the place of the contribution that came last; the others are merged into it by then.
void cut_through_switch::send_result(const reduction& done, int group) {
  ++statistics_.reductions;
  frame_slot last = done.contributions.front();
  for (const frame_slot slot : done.contributions)
    if (store_.at(slot).last_bit > store_.at(last).last_bit) last = slot;
  const sc_time complete = store_.at(last).last_bit;
  for (const frame_slot slot : done.contributions)
    if (slot != last) leave(slot, complete);

  stored_frame& s = store_.at(last);
  link::frame* const result = results_.allocate();
  result->content = s.f->content;
  result->sent_at = s.f->sent_at;
  result->payload_bytes = s.f->payload_bytes;
  result->wire_time = s.f->wire_time;
  result->virtual_channel = s.f->virtual_channel;
  result->last = true;
  network_header n;
  n.what = operation::result;
  n.destination = group;
  n.sequence = done.sequence;
  n.value = done.sum;
  n.write_to(result->content);
  s.f->release();
  s.f = result;
  s.ready = complete + latency_ + reduce_;
  // All results of a group wait in one queue, which keeps their order.
  multicast(groups_[group], -1, groups_[group].front(), last);
}

void cut_through_switch::multicast(const std::vector<int>& members, int except, int queue_input, frame_slot slot) {
  for (const int output : members)
    if (output != except) ++store_.at(slot).copies;
  if (store_.at(slot).copies == 0) return leave(slot, store_.at(slot).last_bit);
  for (const int output : members)
    if (output != except) enqueue(output, queue_input, slot);
}

void cut_through_switch::enqueue(int output, int queue_input, frame_slot slot) {
  if (ports[output].is_down()) return drop_copy(slot);
  const int v = store_.at(slot).f->virtual_channel;
  output_lane& l = lane(output, v);
  queue(output, v, queue_input).push_back(slot);
  l.inputs.insert(queue_input);
  ++l.queued;
  if (l.staged < 0)
    stage_next(output, v);
  else if (observer_ != nullptr)
    observer_->queue_depth(output, v, l.queued);
}

// The next input in turn whose frame is ready when the output has finished; if there is none, the one that is ready
// first. -1: nothing waits.
int cut_through_switch::choose_input(int output, int virtual_channel) const {
  const output_lane& l = lane(output, virtual_channel);
  const sc_time horizon = std::max(sc_time_stamp(), free_at_[output]);
  int earliest = -1;
  sc_time earliest_ready = sc_core::sc_max_time();
  int input = l.inputs.first_from(l.last_input + 1);
  bool wrapped = false;
  while (true) {
    if (input < 0) {
      if (wrapped) return earliest;
      wrapped = true;
      input = l.inputs.first_from(0);
      if (input < 0) return earliest;
    }
    if (wrapped && input > l.last_input) return earliest;
    const sc_time& ready = store_.at(queue(output, virtual_channel, input).front()).ready;
    if (ready <= horizon) return input;
    if (ready < earliest_ready) {
      earliest_ready = ready;
      earliest = input;
    }
    input = l.inputs.first_from(input + 1);
  }
}

void cut_through_switch::stage_next(int output, int virtual_channel) {
  const int input = choose_input(output, virtual_channel);
  output_lane& l = lane(output, virtual_channel);
  if (input < 0) return;
  const frame_slot slot = take_from(output, virtual_channel, input);
  l.last_input = input;
  l.staged = slot;
  if (observer_ != nullptr) observer_->queue_depth(output, virtual_channel, l.queued);
  const stored_frame& s = store_.at(slot);
  const sc_time now = sc_time_stamp();
  ports[output].forward(*s.f, virtual_channel, s.ready > now ? s.ready - now : sc_core::SC_ZERO_TIME);
}

frame_slot cut_through_switch::take_from(int output, int virtual_channel, int input) {
  output_lane& l = lane(output, virtual_channel);
  auto& waiting = queue(output, virtual_channel, input);
  const frame_slot slot = waiting.front();
  waiting.pop_front();
  if (waiting.empty()) l.inputs.erase(input);
  --l.queued;
  return slot;
}

void cut_through_switch::frame_departs(int output, const link::frame& f, const sc_time& last_bit) {
  output_lane& l = lane(output, f.virtual_channel);
  const frame_slot slot = l.staged;
  l.staged = -1;
  free_at_[output] = last_bit;
  ++statistics_.frames_out;
  statistics_.bytes_out += f.payload_bytes;
  copy_is_gone(slot, last_bit);
  stage_next(output, f.virtual_channel);
}

void cut_through_switch::link_is_down(int port) {
  ports[port].take_back();
  for (int v = 0; v < channels_; ++v) {
    output_lane& l = lane(port, v);
    if (l.staged >= 0) drop_copy(l.staged);
    l.staged = -1;
    for (int input = l.inputs.first_from(0); input >= 0; input = l.inputs.first_from(0))
      drop_copy(take_from(port, v, input));
  }
  if (link_down_handler_) link_down_handler_(port);
}

void cut_through_switch::copy_is_gone(frame_slot slot, const sc_time& last_bit) {
  stored_frame& s = store_.at(slot);
  s.gone = std::max(s.gone, last_bit);
  if (--s.copies == 0) leave(slot, s.gone);
}

// Its room is free at `last_bit`.
void cut_through_switch::leave(frame_slot slot, const sc_time& last_bit) {
  const stored_frame& s = store_.at(slot);
  ports[s.input].free_buffer(s.f->virtual_channel, s.f->payload_bytes, last_bit - sc_time_stamp());
  store_.erase(slot, last_bit);
}

// A frame that is not completely here occupies its buffer until it is.
void cut_through_switch::drop_copy(frame_slot slot) {
  ++statistics_.frames_dropped;
  copy_is_gone(slot, std::max(store_.at(slot).last_bit, sc_time_stamp()));
}

void cut_through_switch::refuse(frame_slot slot, const std::string& problem) {
  const std::string where = ports[store_.at(slot).input].name();
  ++statistics_.frames_dropped;
  leave(slot, store_.at(slot).last_bit);
  error("/scribeline/switch/route", fmt::format("{} from {}", problem, where));
}

switch_statistics cut_through_switch::statistics() const {
  switch_statistics s = statistics_;
  s.buffer_bytes = store_.occupied_bytes();
  s.peak_buffer_bytes = store_.peak_bytes();
  return s;
}

std::string cut_through_switch::why_blocked() const {
  std::string reasons;
  for (int output = 0; output < config_.ports; ++output) {
    for (int v = 0; v < channels_; ++v) {
      const output_lane& l = lane(output, v);
      if (l.queued > 0)
        reasons += fmt::format("{}: {} frames wait behind {} on virtual channel {}\n", name(), l.queued,
                               ports[output].name(), v);
    }
    reasons += ports[output].why_blocked();
  }
  for (std::size_t group = 0; group < reducers_.size(); ++group)
    if (const std::string missing = reducers_[group].why_blocked(); !missing.empty())
      reasons += fmt::format("{}: reduction over group {}: {}\n", name(), group, missing);
  return reasons;
}

void cut_through_switch::error(const char* id, const std::string& problem) const {
  SC_REPORT_ERROR(id, fmt::format("{}: {}", name(), problem).c_str());
}

}  // namespace scribeline::switching
