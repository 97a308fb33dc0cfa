// The receiving half of a connection: PDUs of one source on one channel, exactly once and in order.
#pragma once

#include <cstdint>
#include <vector>

#include "rtl_tlm/sue/endpoint_config.h"
#include "rtl_tlm/sue/pdu.h"
#include "rtl_tlm/sue/plane_set.h"

namespace scribeline::sue {

// What has become of an arriving PDU.
enum class verdict {
  in_order,   // take it now, then everything next_held() gives
  held,       // it waits for PDUs before it
  duplicate,  // it was here before
  no_room     // it lies beyond what may be held: dropped, to be sent again
};

// Each plane keeps the order of what travels on it. So a PDU is surely lost when every plane that is up has brought a
// later one; only then a negative acknowledgement is due, once for each PDU. A loss at the end of the traffic, or on a
// plane that is silent, is found by the sender's timer.
class receive_flow {
 public:
  receive_flow(const endpoint_config& config, int planes);
  receive_flow(const receive_flow&) = delete;
  receive_flow& operator=(const receive_flow&) = delete;
  receive_flow(receive_flow&&) = default;

  // `psn` as extend_psn() makes it. Holds a reference to what it keeps.
  verdict accept(pdu& p, std::int64_t psn, int plane);
  // The PDU that follows in order, if it is here; the caller releases it.
  pdu* next_held();

  // The PSN expected next: all before it are here.
  std::int64_t expected() const { return expected_; }
  // True once for each PDU that every plane of the set has overtaken.
  bool nack_due(plane_set in_use);

  // What the endpoint owes the sender.
  int unacknowledged = 0;                 // PDUs since the last acknowledgement
  sc_core::sc_time unacknowledged_since;  // the first of them
  bool nack_pending = false;
  bool ack_timer_runs = false;
  bool ack_queued = false;
  bool owes_acknowledgement() const { return unacknowledged > 0 || nack_pending; }

 private:
  const endpoint_config& config_;
  // The PDUs are the senders' pools', which may be gone first when a simulation ends early: nothing is given back then.
  std::vector<pdu*> held_;  // at psn % size, from expected_ + 1 on; empty until something must be held
  std::int64_t held_count_ = 0;
  std::int64_t expected_ = 0;
  std::int64_t nacked_ = -1;
  std::vector<std::int64_t> highest_;  // PSN that each plane has brought
};

}  // namespace scribeline::sue
