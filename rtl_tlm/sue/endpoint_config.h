// Parameters of a scale-up Ethernet endpoint.
#pragma once

#include <cstdint>
#include <string>

#include "rtl_tlm/link/link_config.h"
#include "rtl_tlm/sue/header_format.h"

namespace scribeline::sue {

// Which port a PDU takes when there are several planes.
enum class spraying {
  // Every destination has its plane, (source + destination) mod planes among those that are up. PDUs arrive in order;
  // one destination gets one port's rate.
  per_destination,
  // Whichever port may send takes the next PDU; the receiver puts them in order. One destination gets the rate of
  // all ports, and a slow or lost plane takes only what it can carry.
  per_pdu
};

struct endpoint_config {
  int planes = 1;  // ports, each to a network of its own
  spraying spray = spraying::per_pdu;

  std::int64_t transaction_bytes = 256;                 // scale-up Ethernet; larger transfers are cut into transactions
  std::int64_t pdu_bytes = 4096;                        // most transaction bytes in a PDU (scale-up Ethernet)
  std::int64_t header_bytes = compressed_header_bytes;  // network header: compressed or full

  // Burst mode: so many PDUs of one destination and channel travel as one frame of the link that is as long as all of
  // them with their headers and gaps, and are acknowledged together. 1: every PDU is a frame. Exact for what no other
  // flow crosses; outputs of switches are shared train by train.
  int train_pdus = 1;

  // From send() to the port, and from the port to whoever receives: half of the bridges' 100 ns (see
  // platforms/scale_up_domain/latency_preset.h).
  double bridge_ns = 50;

  // PDUs to one destination on one channel that may be unacknowledged. Full rate takes rate x round trip / pdu_bytes.
  std::int64_t window_pdus = 512;
  // PDUs that the receiver keeps out of order per source and channel; beyond it they are dropped and sent again.
  std::int64_t reorder_pdus = 512;
  // An acknowledgement travels with the next PDU that goes back; alone if `ack_every` PDUs or ack_delay passed without
  // one. Assumptions.
  int ack_every = 16;
  double ack_delay_ns = 2000;
  // Without progress for this long, everything unacknowledged is sent again, `retry_limit` times in a row. Assumptions:
  // the timer must outlast queues in the network.
  double retry_timeout_ns = 50'000;
  int retry_limit = 7;

  // Virtual channel of the link for each traffic class.
  int request_channel = 0;
  int response_channel = 1;  // responses and acknowledgements: always sunk, whatever requests wait for
  int collective_channel = 2;
  // Bytes of read responses that may wait to be sent. Beyond it, arriving requests stay in the receive buffer and hold
  // back their senders. Assumption.
  std::int64_t response_queue_bytes = 1 << 20;

  // What is wrong, as a sentence that names the key; empty when all is well.
  std::string problem() const;
};

// PDUs that so many bytes of transactions fill.
constexpr std::int64_t pdus_for(const endpoint_config& c, std::int64_t transaction_bytes) {
  return transaction_bytes <= c.pdu_bytes ? 1 : base::ceil_div(transaction_bytes, c.pdu_bytes);
}

// Bytes from the first header to the last check sequence of the PDUs that so many bytes fill, as the link counts its
// payload: with the gaps between them.
constexpr std::int64_t frame_bytes(const endpoint_config& c, std::int64_t transaction_bytes) {
  const std::int64_t headers = c.header_bytes + reliability_header_bytes;
  const std::int64_t before = pdus_for(c, transaction_bytes) - 1;
  const std::int64_t full =
      headers + c.pdu_bytes < link::ethernet_min_frame_bytes ? link::ethernet_min_frame_bytes : headers + c.pdu_bytes;
  const std::int64_t rest = headers + transaction_bytes - before * c.pdu_bytes;
  // A frame on its own is filled up by the link.
  const bool is_short = before > 0 && rest < link::ethernet_min_frame_bytes;
  return before * (full + link::ethernet_gap_bytes) + (is_short ? link::ethernet_min_frame_bytes : rest);
}

}  // namespace scribeline::sue
