// The sending half of a connection: packs transactions to one destination on one channel into PDUs and keeps them until
// they are acknowledged.
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>

#include "rtl_tlm/link/ring_queue.h"
#include "rtl_tlm/sue/endpoint_config.h"
#include "rtl_tlm/sue/pdu.h"

namespace scribeline::sue {

// Packing is opportunistic: take() puts into the PDU whatever whole transactions are there and fit; it never waits.
// Go-back-N: after a negative acknowledgement or a timeout every PDU from the one named is sent again, unchanged,
// before any new one.
class transmit_flow {
 public:
  using completed = std::function<void(const segment&)>;  // gets the last segment of a transfer

  transmit_flow(const endpoint_config& config, base::object_pool<pdu>& pool) : config_(config), pool_(pool) {}

  // Queues a transfer; `whole` is its one segment with all its bytes.
  void add(const segment& whole);

  // Something to send, and room for it in the window.
  bool may_send() const {
    return resend_ < window_.size() ||
           (!waiting_.empty() && static_cast<std::int64_t>(window_.size()) < config_.window_pdus);
  }
  // The next PDU, which stays owned by this flow. Only when may_send().
  pdu& take();

  // Everything up to `psn` has arrived. Calls `done` for each transfer that is thereby complete. False: nothing new.
  bool acknowledge(std::int64_t psn, const completed& done);
  // Sends again from `psn` on. False: that is already under way or unknown.
  bool go_back_to(std::int64_t psn);
  void go_back() { resend_ = 0; }

  bool outstanding() const { return !window_.empty(); }
  // Something that can still be lost: sent and not acknowledged.
  bool awaits_acknowledgement() const { return resend_ > 0; }
  std::int64_t first_unacknowledged() const { return base_; }
  std::int64_t queued_bytes() const { return queued_bytes_; }  // not yet in a PDU
  std::int64_t window_pdus() const { return static_cast<std::int64_t>(window_.size()); }

  // Of the endpoint that owns the flow.
  sc_core::sc_time last_progress;
  int retries = 0;  // since the last progress
  bool queued_for_port = false;

 private:
  void pack(pdu& p);

  const endpoint_config& config_;
  base::object_pool<pdu>& pool_;
  link::ring_queue<segment> waiting_;  // `bytes` is what is not packed yet
  link::ring_queue<pdu*> window_;      // sent or about to be, in order of PSN from base_ on
  std::size_t resend_ = 0;             // place in the window of the next PDU to send; at its end: a new one
  std::int64_t base_ = 0;
  std::int64_t next_ = 0;
  std::int64_t queued_bytes_ = 0;
};

}  // namespace scribeline::sue
