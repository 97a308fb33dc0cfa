// What stands around the transactions of a PDU on the wire.
//
//   | gap + preamble 20 | network header 10 or 46 | reliability header 8 | transactions n x P |
//
// The network header counts the frame check sequence.
#pragma once

#include <cstdint>

#include "rtl_tlm/base/units.h"

namespace scribeline::sue {

// Broadcom's figures for scale-up Ethernet: 46 B of Ethernet (14 + 4), IPv4 (20) and UDP (8), optimised to 10 B.
constexpr std::int64_t full_header_bytes = 46;
constexpr std::int64_t compressed_header_bytes = 10;
// Scale-up Ethernet: destination, sequence number, channel, acknowledgement.
constexpr std::int64_t reliability_header_bytes = 8;

constexpr int max_ranks = 1 << 10;            // 10-bit accelerator id
constexpr int max_channels = 1 << 2;          // 2-bit virtual channel
constexpr std::int64_t max_window = 1 << 15;  // half of the 16-bit sequence space, or old and new PDUs look alike

enum class acknowledgement : std::uint8_t { none, ack, nack };

// The reliability header, as its 64 bits travel in one header word of the frame.
struct reliability_header {
  int source = 0;            // accelerator id
  int channel = 0;           // of the PDU, and of what it acknowledges
  std::uint16_t psn = 0;     // packet sequence number
  bool carries_data = true;  // false: an acknowledgement alone; psn says nothing
  acknowledgement acknowledges = acknowledgement::none;
  std::uint16_t acked_psn = 0;  // ack: the last PSN in order; nack: the one expected

  constexpr std::uint64_t pack() const {
    return static_cast<std::uint64_t>(source) | static_cast<std::uint64_t>(channel) << 10 | std::uint64_t{psn} << 12 |
           std::uint64_t{acked_psn} << 28 | static_cast<std::uint64_t>(acknowledges) << 44 |
           (carries_data ? std::uint64_t{1} << 46 : 0);
  }
  static constexpr reliability_header unpack(std::uint64_t word) {
    reliability_header h;
    h.source = static_cast<int>(word & 0x3ff);
    h.channel = static_cast<int>(word >> 10 & 3);
    h.psn = static_cast<std::uint16_t>(word >> 12);
    h.acked_psn = static_cast<std::uint16_t>(word >> 28);
    h.acknowledges = static_cast<acknowledgement>(word >> 44 & 3);
    h.carries_data = (word >> 46 & 1) != 0;
    return h;
  }
};

// The PSN that a 16-bit number stands for: the one nearest to `near`.
constexpr std::int64_t extend_psn(std::uint16_t psn, std::int64_t near) {
  return near + static_cast<std::int16_t>(static_cast<std::uint16_t>(psn - static_cast<std::uint16_t>(near)));
}

// Share of the wire that carries transactions: n of `transaction` bytes behind `header` bytes (network, reliability and
// all else there is), and gap and preamble around them.
constexpr double payload_efficiency(std::int64_t n, std::int64_t transaction, std::int64_t header) {
  const std::int64_t payload = n * transaction;
  constexpr std::int64_t ethernet_gap = 20;
  return static_cast<double>(payload) / static_cast<double>(payload + header + ethernet_gap);
}

}  // namespace scribeline::sue
