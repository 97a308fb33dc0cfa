#include "rtl_tlm/sue/endpoint_statistics.h"

namespace scribeline::sue {

endpoint_statistics& endpoint_statistics::operator+=(const endpoint_statistics& other) {
  transfers_begun += other.transfers_begun;
  transfers_completed += other.transfers_completed;
  bytes_acknowledged += other.bytes_acknowledged;
  transfers_arrived += other.transfers_arrived;
  bytes_arrived += other.bytes_arrived;
  pdus_sent += other.pdus_sent;
  pdus_repeated += other.pdus_repeated;
  transactions_sent += other.transactions_sent;
  acks_sent += other.acks_sent;
  nacks_sent += other.nacks_sent;
  timeouts += other.timeouts;
  pdus_arrived += other.pdus_arrived;
  duplicates += other.duplicates;
  held += other.held;
  no_room += other.no_room;
  contributions_sent += other.contributions_sent;
  results_arrived += other.results_arrived;
  return *this;
}

}  // namespace scribeline::sue
