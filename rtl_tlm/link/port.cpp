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

// The ports of one seed have errors of their own: by name, so that they do not depend on what else is built.
std::uint64_t number_of(const std::string& name) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

port::port(const sc_core::sc_module_name& name, const link_config& config)
    : sc_module(name),
      config_(checked(this->name(), config)),
      wire_(config_, tx, frame_errors(config_.errors, number_of(this->name())), statistics_),
      transmitter_(config_, wire_, transmit_due_, statistics_),
      receiver_(config_, this->name(), rx, control_errors(config_.errors, number_of(this->name())), receive_due_,
                statistics_) {
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
  SC_METHOD(report_down);
  sensitive << went_down_;
  dont_initialize();
  transmitter_.on_give_up([this] { take_down(); });
}

void port::start_of_simulation() {
  const auto* peer = dynamic_cast<const port*>(tx.get_interface());
  if (peer == nullptr) return;
  const link_config& other = peer->config_;
  const auto on_off = [](bool on) { return on ? "on" : "off"; };
  const auto kind = [](const link_config& c) { return c.flow.kind == flow_control::pause ? "pause" : "credits"; };
  if (other.lanes != config_.lanes)
    error("/scribeline/link/config",
          fmt::format("lanes = {}, but {} has lanes = {}", config_.lanes, peer->name(), other.lanes));
  if (other.llr.on != config_.llr.on)
    error("/scribeline/link/config",
          fmt::format("retry is {}, but {} has it {}", on_off(config_.llr.on), peer->name(), on_off(other.llr.on)));
  if (other.flow.kind != config_.flow.kind)
    error("/scribeline/link/config",
          fmt::format("flow control is by {}, but {} has it by {}", kind(config_), peer->name(), kind(other)));
}

// Each check returns after its report, for those who let the simulation go on after an error.
void port::send(const message& m, const sc_core::sc_time& delay) {
  if (m.size.value() < 1)
    return error("/scribeline/link/message", fmt::format("a message of {} B: it takes at least 1", m.size.value()));
  if (!has_channel(m.virtual_channel))
    return error("/scribeline/link/message", fmt::format("a message on virtual channel {}: the port has {}, from 0 on",
                                                         m.virtual_channel, config_.virtual_channels));
  if (m.data && static_cast<std::int64_t>(m.data->size()) != m.size.value())
    return error("/scribeline/link/message",
                 fmt::format("a message of {} B with {} B of data", m.size.value(), m.data->size()));
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

void port::attach(frame_handler& handler, int port_number, announce announced) {
  frame_handler_ = &handler;
  port_number_ = port_number;
  transmitter_.attach(&handler, port_number);
  receiver_.attach(&handler, port_number, announced);
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
  receiver_.free_bytes(virtual_channel, lane_bytes, sc_core::sc_time_stamp() + delay);
}

void port::fail_lanes(int failed) {
  const int all = config_.lanes * config_.serdes_lanes;
  if (failed < 0 || failed > all)
    return error("/scribeline/link/config", fmt::format("{} failed lanes: the port has {}", failed, all));
  if (failed == all)
    take_down();
  else
    wire_.use_lanes(all - failed);
}

void port::take_down() {
  if (down_) return;
  // What either side has got is settled over the management network: it names the next frame it expects.
  frame* const f = farewell_.allocate();
  f->sequence = receiver_.expected();
  link_phase phase = link_phase::down;
  sc_core::sc_time delay;
  const bool answered = tx->nb_transport_fw(*f, phase, delay) == tlm::TLM_COMPLETED;
  go_down(answered ? f->sequence : transmitter_.oldest_unacknowledged());
  f->release();
}

void port::go_down(llr_sequence peer_expects) {
  down_ = true;
  transmitter_.take_down(peer_expects);
  receiver_.take_down();
  went_down_.notify(sc_core::SC_ZERO_TIME);
}

void port::report_down() {
  if (frame_handler_ != nullptr) frame_handler_->link_is_down(port_number_);
  if (down_handler_) down_handler_();
}

std::vector<message> port::take_back() {
  if (!down_) {
    error("/scribeline/link/message", "messages are taken back from a link that is down, this one is up");
    return {};
  }
  return transmitter_.take_back();
}

void port::stick_credits(int virtual_channel, bool stuck) {
  if (!has_channel(virtual_channel) || config_.flow.kind != flow_control::credits)
    return error("/scribeline/link/message", fmt::format("no credits to stick on virtual channel {}", virtual_channel));
  receiver_.stick_credits(virtual_channel, stuck);
}

tlm::tlm_sync_enum port::nb_transport_fw(frame& f, link_phase& phase, sc_core::sc_time& delay) {
  if (phase == link_phase::down) {
    const llr_sequence peer_expects = f.sequence;
    f.sequence = receiver_.expected();
    if (!down_) go_down(peer_expects);
    return tlm::TLM_COMPLETED;
  }
  const std::int64_t share = lane_share(f.content.size, config_.lanes);
  if (phase != link_phase::frame) {
    error("/scribeline/link/protocol", "a phase other than frame and down on the forward path");
  } else if (!has_channel(f.virtual_channel)) {
    error("/scribeline/link/protocol", fmt::format("a frame on virtual channel {} from {}: this port has {}, from 0 on",
                                                   f.virtual_channel, peer_name(), config_.virtual_channels));
  } else if (config_.policy == buffer_policy::hold_until_release && !receiver_.frames_are_handled() &&
             share > config_.longest_held_bytes()) {
    error("/scribeline/link/buffer",
          fmt::format("a message of {} B ({} B per lane) from {} can never be complete in a receive buffer of {} B per "
                      "lane that is held until the message is released{}",
                      f.content.size.value(), share, peer_name(), config_.lane_buffer_bytes(),
                      config_.flow.kind == flow_control::pause
                          ? fmt::format(", paused and let go again at {} B", config_.longest_held_bytes())
                          : std::string{}));
  } else {
    receiver_.accept(f, sc_core::sc_time_stamp() + delay);
  }
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum port::nb_transport_bw(frame& f, link_phase& phase, sc_core::sc_time& delay) {
  const sc_core::sc_time when = sc_core::sc_time_stamp() + delay;
  if (phase == link_phase::frame || phase == link_phase::down) {
    error("/scribeline/link/protocol", "a phase of the forward path on the backward path");
  } else if (phase == link_phase::ack || phase == link_phase::nack) {
    if (!config_.llr.on)
      error("/scribeline/link/protocol", fmt::format("an acknowledgement from {}: retry is off here", peer_name()));
    else
      transmitter_.control(f, phase, when);
  } else if (phase == link_phase::credit && f.granted_bytes < config_.frame_payload_bytes) {
    error("/scribeline/link/buffer", fmt::format("{} has a receive buffer of {} B per lane, a frame takes up to {} B",
                                                 peer_name(), f.granted_bytes, config_.frame_payload_bytes));
  } else if (has_channel(f.virtual_channel)) {
    // A peer with more virtual channels than this port uses is no mistake.
    transmitter_.control(f, phase, when);
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
  transmitter_.add_unfinished(s);
  return s;
}

void port::observe(port_observer* observer) {
  wire_.observe(observer);
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
