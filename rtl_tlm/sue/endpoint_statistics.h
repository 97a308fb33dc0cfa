// What an endpoint counts.
#pragma once

#include <cstdint>

namespace scribeline::sue {

struct endpoint_statistics {
  std::int64_t transfers_begun = 0;      // sends, reads, responses
  std::int64_t transfers_completed = 0;  // acknowledged to the last byte
  std::int64_t bytes_acknowledged = 0;
  std::int64_t transfers_arrived = 0;
  std::int64_t bytes_arrived = 0;  // of transfers, each byte once

  std::int64_t pdus_sent = 0;  // with data, repetitions included
  std::int64_t pdus_repeated = 0;
  std::int64_t transactions_sent = 0;  // in first copies
  std::int64_t acks_sent = 0;          // alone; those on data PDUs cost nothing
  std::int64_t nacks_sent = 0;
  std::int64_t timeouts = 0;

  std::int64_t pdus_arrived = 0;  // with data, every copy
  std::int64_t duplicates = 0;    // discarded
  std::int64_t held = 0;          // out of order
  std::int64_t no_room = 0;       // beyond the reorder buffer: dropped

  std::int64_t contributions_sent = 0;  // PDUs of reductions
  std::int64_t results_arrived = 0;

  endpoint_statistics& operator+=(const endpoint_statistics& other);

  // Transactions per PDU, first copies.
  double packing_depth() const {
    const std::int64_t first = pdus_sent - pdus_repeated;
    return first == 0 ? 0 : static_cast<double>(transactions_sent) / static_cast<double>(first);
  }
};

}  // namespace scribeline::sue
