#include "rtl_tlm/link/port.h"

#include <fmt/format.h>

#include <utility>

namespace scribeline::link {

namespace {

const link_config& checked(const char* port_name, const link_config& config) {
  const std::string problem = config.problem();
  if (!problem.empty()) SC_REPORT_ERROR("/scribeline/link/config", fmt::format("{}: {}", port_name, problem).c_str());
  return config;
}

}  // namespace

port::port(const sc_core::sc_module_name& name, const link_config& config)
    : sc_module(name),
      config_(checked(this->name(), config)),
      transmitter_(config_, tx, transmit_due_, statistics_),
      receiver_(config_, rx, receive_due_, statistics_) {
  tx.bind(static_cast<link_bw_if&>(*this));
  rx.bind(static_cast<link_fw_if&>(*this));

  SC_HAS_PROCESS(port);
  SC_METHOD(start);
  SC_METHOD(transmit);
  sensitive << transmit_due_;
  dont_initialize();
  SC_METHOD(receive);
  sensitive << receive_due_;
  dont_initialize();
}

void port::start_of_simulation() {
  const auto* peer = dynamic_cast<const port*>(tx.get_interface());
  if (peer != nullptr && peer->config_.lanes != config_.lanes)
    error("/scribeline/link/config",
          fmt::format("lanes = {}, but {} has lanes = {}", config_.lanes, peer->name(), peer->config_.lanes));
}

// Each check returns after its report, for those who let the simulation go on after an error.
void port::send(const message& m, const sc_core::sc_time& delay) {
  if (m.size.value() < 1)
    return error("/scribeline/link/message", fmt::format("a message of {} B: it takes at least 1", m.size.value()));
  if (!has_channel(m.virtual_channel))
    return error("/scribeline/link/message", fmt::format("a message on virtual channel {}: the port has {}, from 0 on",
                                                         m.virtual_channel, config_.virtual_channels));
  transmitter_.send(m, delay);
}

void port::release(delivery& d) {
  if (config_.policy == buffer_policy::drain_on_arrival) return;
  const int v = d.content.virtual_channel;
  if (d.held_bytes == 0) return error("/scribeline/link/release", "the message is released already");
  if (!has_channel(v) || receiver_.unreleased(v) == 0)
    return error("/scribeline/link/release", fmt::format("this port holds no message on virtual channel {}", v));
  receiver_.release(d);
}

void port::attach(frame_handler& handler, int port_number, bool tell_last_bit) {
  transmitter_.attach(&handler, port_number);
  receiver_.attach(&handler, port_number, tell_last_bit);
}

void port::forward(const frame& f, int virtual_channel, const sc_core::sc_time& delay) {
  if (!has_channel(virtual_channel))
    return error("/scribeline/link/message", fmt::format("a frame to forward on virtual channel {}: the port has {}, "
                                                         "from 0 on",
                                                         virtual_channel, config_.virtual_channels));
  if (f.payload_bytes > config_.frame_payload_bytes)
    return error("/scribeline/link/message",
                 fmt::format("a frame of {} B to forward: frames of this port carry up to {} B", f.payload_bytes,
                             config_.frame_payload_bytes));
  transmitter_.forward(f, virtual_channel, delay);
}

void port::free_buffer(int virtual_channel, std::int64_t lane_bytes, const sc_core::sc_time& delay) {
  if (!has_channel(virtual_channel) || lane_bytes > receiver_.occupied(virtual_channel))
    return error(
        "/scribeline/link/release",
        fmt::format("{} B to free on virtual channel {}: its buffer does not hold them", lane_bytes, virtual_channel));
  receiver_.free_bytes(virtual_channel, lane_bytes, delay);
}

tlm::tlm_sync_enum port::nb_transport_fw(frame& f, link_phase& phase, sc_core::sc_time& delay) {
  const std::int64_t share = lane_share(f.content.size, config_.lanes);
  if (phase != link_phase::frame) {
    error("/scribeline/link/protocol", "a phase other than frame on the forward path");
  } else if (!has_channel(f.virtual_channel)) {
    error("/scribeline/link/protocol", fmt::format("a frame on virtual channel {} from {}: this port has {}, from 0 on",
                                                   f.virtual_channel, peer_name(), config_.virtual_channels));
  } else if (config_.policy == buffer_policy::hold_until_release && !receiver_.frames_are_handled() &&
             share > config_.lane_buffer_bytes()) {
    error("/scribeline/link/buffer",
          fmt::format("a message of {} B ({} B per lane) from {} can never be complete in a receive buffer of {} B per "
                      "lane that is held until the message is released",
                      f.content.size.value(), share, peer_name(), config_.lane_buffer_bytes()));
  } else {
    receiver_.accept(f, sc_core::sc_time_stamp() + delay);
  }
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum port::nb_transport_bw(frame& f, link_phase& phase, sc_core::sc_time& delay) {
  if (phase != link_phase::credit) {
    error("/scribeline/link/protocol", "a phase other than credit on the backward path");
  } else if (f.granted_bytes < config_.frame_payload_bytes) {
    error("/scribeline/link/buffer", fmt::format("{} has a receive buffer of {} B per lane, a frame takes up to {} B",
                                                 peer_name(), f.granted_bytes, config_.frame_payload_bytes));
  } else if (has_channel(f.virtual_channel)) {
    // A peer with more virtual channels than this port uses is no mistake.
    transmitter_.credit(f.virtual_channel, f.granted_bytes, sc_core::sc_time_stamp() + delay);
  }
  return tlm::TLM_ACCEPTED;
}

void port::b_transport(frame&, sc_core::sc_time&) {
  error("/scribeline/link/unsupported", "blocking transport: frames travel by nb_transport_fw");
}

unsigned int port::transport_dbg(frame&) {
  error("/scribeline/link/unsupported", "debug transport: a link has no memory");
  return 0;
}

bool port::get_direct_mem_ptr(frame&, tlm::tlm_dmi&) {
  error("/scribeline/link/unsupported", "direct memory access: a link has no memory");
  return false;
}

void port::invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) {
  error("/scribeline/link/unsupported", "direct memory access: a link has no memory");
}

std::string port::why_blocked() const {
  return transmitter_.why_blocked(name(), peer_name()) + receiver_.why_blocked(name());
}

port_statistics port::statistics() const {
  port_statistics s = statistics_;
  s.busy -= transmitter_.unfinished_busy();
  s.credit_stall += transmitter_.ongoing_stall();
  return s;
}

void port::observe(port_observer* observer) {
  transmitter_.observe(observer);
  receiver_.observe(observer);
}

// What tx leads to: the peer, unless something sits between.
std::string port::peer_name() const {
  const auto* peer = dynamic_cast<const sc_core::sc_object*>(tx.get_interface());
  return peer != nullptr ? peer->name() : "its peer";
}

void port::error(const char* id, const std::string& problem) const {
  SC_REPORT_ERROR(id, fmt::format("{}: {}", name(), problem).c_str());
}

void connect(port& a, port& b) {
  a.tx.bind(b.rx);
  b.tx.bind(a.rx);
}

}  // namespace scribeline::link
