// Bit errors of one direction of a link.
#pragma once

#include <cstdint>
#include <string>

#include "rtl_tlm/link/error_process.h"
#include "rtl_tlm/link/fec.h"

namespace scribeline::link {

enum class fec_code { none, rs544 };

// Give a bit error rate or a frame error rate, not both. What a port sends, control messages included, suffers by its
// own config.
struct error_config {
  // Before error correction when there is one, else as frames see it.
  double bit_error_rate = 0;
  double frame_error_rate = 0;
  // Error correction: its latency is added to both ways, and bit errors destroy codewords instead of single frames.
  fec_code fec = fec_code::none;
  double fec_latency_ns = rs_544_514_latency_ns;
  // ACK, NACK, credit and pause messages that are lost, in parts of 1. Negative: as their 64 bits fare at the bit error
  // rate (0 with a frame error rate).
  double control_error_rate = -1;
  std::uint64_t seed = 1;

  double added_latency_ns() const { return fec == fec_code::none ? 0 : fec_latency_ns; }
  bool any() const { return bit_error_rate > 0 || frame_error_rate > 0; }
  std::string problem() const;
};

// UEC link-layer retry and credit updates travel as 8 B control ordered sets.
constexpr std::int64_t control_message_bits = 64;

// Probability that one control message is lost.
double control_loss(const error_config& c);

// Errors of the frames (bits = those on the wire of all lanes) and of the control messages of one port. With a frame
// error rate a frame counts as one bit: see frame_units. `stream` tells the ports of one seed apart.
error_process frame_errors(const error_config& c, std::uint64_t stream);
error_process control_errors(const error_config& c, std::uint64_t stream);
inline std::int64_t frame_units(const error_config& c, std::int64_t wire_bits) {
  return c.frame_error_rate > 0 ? 1 : wire_bits;
}

}  // namespace scribeline::link
