// A packed unit of transactions, as it lies in the sender's retry buffer and travels to the receiver.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "rtl_tlm/base/payload_pool.h"
#include "rtl_tlm/sue/transfer.h"

namespace scribeline::sue {

// The part of one transfer that lies in one PDU.
struct segment {
  transfer_kind kind = transfer_kind::send;
  bool last = false;       // completes the transfer
  std::int64_t bytes = 0;  // in this PDU
  std::int64_t transfer_bytes = 0;
  std::int64_t asked_bytes = 0;  // of a read request: how long the response shall be
  transfer_id id = 0;
  std::uint64_t tag = 0;
  sc_core::sc_time began_at;
};

// Belongs to the pool of its sender. The sender holds it until it is acknowledged, the receiver while it waits for
// PDUs before it. Its segments stand for the transactions' command words, which the receiver reads at its last bit; a
// copy that is late (already delivered once) is told by its sequence number and not looked into.
class pdu {
 public:
  std::int64_t psn = 0;
  std::int64_t bytes = 0;  // of transactions
  std::int64_t transactions = 0;
  bool sent_before = false;
  std::vector<segment> segments;

  void reset() {
    bytes = 0;
    transactions = 0;
    sent_before = false;
    segments.clear();
  }
  void set_pool(base::object_pool<pdu>* pool) { pool_ = pool; }
  void acquire() { ++references_; }
  void release() {
    if (--references_ == 0) pool_->free(this);
  }

 private:
  base::object_pool<pdu>* pool_ = nullptr;
  int references_ = 0;
};

// With one reference.
inline pdu* allocate(base::object_pool<pdu>& pool) {
  pdu* p = pool.allocate();
  p->set_pool(&pool);
  p->acquire();
  return p;
}

}  // namespace scribeline::sue
