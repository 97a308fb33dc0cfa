// Parameters of one direction of an Ethernet link, and what follows from them.
#pragma once

#include <cstdint>
#include <string>

#include "rtl_tlm/base/units.h"

namespace scribeline::link {

// IEEE 802.3: destination, source and type (14 B) + frame check sequence (4 B), in every frame.
constexpr std::int64_t ethernet_header_bytes = 18;
// IEEE 802.3: preamble and start delimiter (8 B) + inter-packet gap (12 B), on the wire around every frame.
constexpr std::int64_t ethernet_gap_bytes = 20;
// IEEE 802.3: a frame of header, payload and check sequence is padded to 64 B.
constexpr std::int64_t ethernet_min_frame_bytes = 64;

// When the receiver's buffer becomes free again.
enum class buffer_policy {
  hold_until_release,  // a message stays in the buffer until the receiving side releases it
  drain_on_arrival     // whoever sits behind the port takes each frame out as it arrives
};

// A port sends by its own `link_config` and lends its peer the receive buffer of that same config; two connected
// ports normally share one.
struct link_config {
  // Equal lanes on which every message is striped evenly: a wafer has 12 of 100 GbE.
  int lanes = 1;
  double lane_gbps = 100;
  // First bit into the sending PHY to first bit out of the receiving one: FEC, PHY and propagation.
  double latency_ns = 0;
  std::int64_t frame_payload_bytes = 1500;                                          // most payload in one frame (IEEE 802.3)
  std::int64_t frame_overhead_bytes = ethernet_header_bytes + ethernet_gap_bytes;  // on the wire, per frame
  std::int64_t min_frame_payload_bytes = ethernet_min_frame_bytes - ethernet_header_bytes;  // padded up to this

  int virtual_channels = 1;
  // Receive buffer of each virtual channel, over all lanes. Counted in payload bytes.
  std::int64_t receive_buffer_bytes = 64 * 1024;
  // Bytes freed at the receiver to credit usable at the sender.
  double credit_latency_ns = 0;
  buffer_policy policy = buffer_policy::hold_until_release;

  // What is wrong, as a sentence that names the key; empty when all is well.
  std::string problem() const;
};

// Payload bytes of one lane when `size` is striped over `lanes`.
constexpr std::int64_t lane_share(std::int64_t size, int lanes) { return base::ceil_div<std::int64_t>(size, lanes); }

// Bytes that occupy the wire of one lane for a frame of `payload` bytes.
constexpr std::int64_t wire_bytes(const link_config& c, std::int64_t payload) {
  return (payload < c.min_frame_payload_bytes ? c.min_frame_payload_bytes : payload) + c.frame_overhead_bytes;
}

}  // namespace scribeline::link
