// Parameters of one direction of an Ethernet link, and what follows from them.
#pragma once

#include <cstdint>
#include <string>

#include "rtl_tlm/base/units.h"
#include "rtl_tlm/link/error_config.h"
#include "rtl_tlm/link/flow_config.h"
#include "rtl_tlm/link/llr_config.h"

namespace scribeline::link {

// IEEE 802.3: destination, source and type (14 B) + frame check sequence (4 B), in every frame.
constexpr std::int64_t ethernet_header_bytes = 18;
// IEEE 802.3: preamble and start delimiter (8 B) + inter-packet gap (12 B), on the wire around every frame.
constexpr std::int64_t ethernet_gap_bytes = 20;
// IEEE 802.3: a frame of header, payload and check sequence is padded to 64 B.
constexpr std::int64_t ethernet_min_frame_bytes = 64;

// Credit-based flow control of scale-up Ethernet knows up to 32 virtual channels.
constexpr int max_virtual_channels = 32;

// When the receiver's buffer becomes free again.
enum class buffer_policy {
  hold_until_release,  // a message stays in the buffer until the receiving side releases it
  drain_on_arrival     // whoever sits behind the port takes each frame out as it arrives
};

// A port sends with the rates and latency of its own config and announces the receive buffer of its own config to its
// peer; two connected ports normally share one config.
struct link_config {
  // Equal lanes on which every message is striped evenly: a wafer has 12 of 100 GbE.
  int lanes = 1;
  double lane_gbps = 100;
  // Electrical lanes that one of these is made of, for failures of some: 800 G is 8 of 100 G or 4 of 200 G.
  int serdes_lanes = 1;
  // First bit into the sending PHY to first bit out of the receiving one: PHY and propagation, and error correction
  // unless `errors` adds it.
  double latency_ns = 0;
  std::int64_t frame_payload_bytes = 1500;  // most payload in one frame (IEEE 802.3)
  std::int64_t frame_overhead_bytes = ethernet_header_bytes + ethernet_gap_bytes;           // on the wire, per frame
  std::int64_t min_frame_payload_bytes = ethernet_min_frame_bytes - ethernet_header_bytes;  // padded up to this

  int virtual_channels = 1;
  // Receive buffer of each virtual channel, over all lanes, in payload bytes. Each lane has an equal part, rounded
  // down.
  std::int64_t receive_buffer_bytes = 64 * 1024;
  // Bytes freed at the receiver to credit usable at the sender.
  double credit_latency_ns = 0;
  buffer_policy policy = buffer_policy::hold_until_release;
  flow_config flow;
  error_config errors;
  llr_config llr;

  std::int64_t lane_buffer_bytes() const { return receive_buffer_bytes / lanes; }

  // One way, error correction included: of frames, of credit and pause messages, of acknowledgements.
  double frame_path_ns() const { return latency_ns + errors.added_latency_ns(); }
  double credit_path_ns() const { return credit_latency_ns + errors.added_latency_ns(); }
  double ack_path_ns() const {
    return llr.ack_latency_ns < 0 ? frame_path_ns() : llr.ack_latency_ns + errors.added_latency_ns();
  }

  // Thresholds of pause flow control, over all lanes.
  std::int64_t pause_above() const;
  std::int64_t resume_at() const;

  // The longest message that can be held until it is complete, per lane: it must fit into the buffer without causing a
  // pause that nothing but its end could lift.
  std::int64_t longest_held_bytes() const {
    return flow.kind == flow_control::pause ? resume_at() / lanes : lane_buffer_bytes();
  }

  // What is wrong, as a sentence that names the key; empty when all is well.
  std::string problem() const;
};

// Payload bytes of one lane when `size` is striped over `lanes`.
constexpr std::int64_t lane_share(base::bytes size, int lanes) {
  return base::ceil_div<std::int64_t>(size.value(), lanes);
}

// Bytes that occupy the wire of one lane for a frame of `payload` bytes.
constexpr std::int64_t wire_bytes(const link_config& c, std::int64_t payload) {
  return (payload < c.min_frame_payload_bytes ? c.min_frame_payload_bytes : payload) + c.frame_overhead_bytes;
}

// First bit to last bit of a frame of `payload` bytes.
inline sc_core::sc_time frame_time(const link_config& c, std::int64_t payload) {
  return base::bandwidth{c.lane_gbps}.duration(base::bytes{wire_bytes(c, payload)});
}

// Room above the pause threshold that is enough unless a pause message is lost: what is on its way until the pause has
// effect, the frame that crosses the threshold and the one being sent then. With bit errors and retry all that may be
// in the replay buffer can still come, too. Bytes over all lanes.
std::int64_t pause_headroom(const link_config& c);

// A port of scale-up Ethernet: one lane of `gbps`, frames of one PDU of up to 4096 B behind a header of `header_bytes`
// (10 compressed, 46 full) and 20 B of preamble and gap, neither padded nor striped; 63 ns of error correction; retry
// on. Without latency of PHY and cable, and with a buffer for a round trip of 1 us.
link_config scale_up_ethernet(double gbps, std::int64_t header_bytes = 10);

// How long a message occupies an unloaded transmitter, and how long after send() its last bit arrives then: no message
// is faster.
sc_core::sc_time serialisation_time(const link_config& c, base::bytes size);
sc_core::sc_time zero_load_latency(const link_config& c, base::bytes size);

}  // namespace scribeline::link
