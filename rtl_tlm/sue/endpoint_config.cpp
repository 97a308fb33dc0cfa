#include "rtl_tlm/sue/endpoint_config.h"

#include <fmt/format.h>

#include "rtl_tlm/sue/plane_set.h"

namespace scribeline::sue {

std::string endpoint_config::problem() const {
  if (planes < 1 || planes > max_planes) return fmt::format("planes = {}: must be 1 to {}", planes, max_planes);
  if (transaction_bytes < 1) return fmt::format("transaction_bytes = {}: must be 1 or more", transaction_bytes);
  if (pdu_bytes < transaction_bytes)
    return fmt::format("pdu_bytes = {}: a transaction of {} B would never fit", pdu_bytes, transaction_bytes);
  if (train_pdus < 1 || train_pdus > 4096) return fmt::format("train_pdus = {}: must be 1 to 4096", train_pdus);
  if (header_bytes < 1) return fmt::format("header_bytes = {}: must be 1 or more", header_bytes);
  if (!(bridge_ns >= 0 && bridge_ns <= 1e9)) return fmt::format("bridge_ns = {}: must be 0 to 1e9", bridge_ns);
  if (window_pdus < 1 || window_pdus >= max_window)
    return fmt::format("window_pdus = {}: must be 1 to {}, less than half of the 16-bit sequence numbers", window_pdus,
                       max_window - 1);
  if (reorder_pdus < 0 || reorder_pdus >= max_window)
    return fmt::format("reorder_pdus = {}: must be 0 to {}", reorder_pdus, max_window - 1);
  if (ack_every < 1 || ack_every > window_pdus)
    return fmt::format("ack_every = {}: must be 1 to window_pdus = {}", ack_every, window_pdus);
  if (!(ack_delay_ns >= 0 && ack_delay_ns <= 1e9))
    return fmt::format("ack_delay_ns = {}: must be 0 to 1e9", ack_delay_ns);
  if (!(retry_timeout_ns > ack_delay_ns && retry_timeout_ns <= 1e12))
    return fmt::format("retry_timeout_ns = {}: must be more than ack_delay_ns = {}, and at most 1e12", retry_timeout_ns,
                       ack_delay_ns);
  if (retry_limit < 0) return fmt::format("retry_limit = {}: must be 0 or more", retry_limit);
  for (const int channel : {request_channel, response_channel, collective_channel})
    if (channel < 0 || channel >= max_channels)
      return fmt::format("a virtual channel {}: the reliability header knows 0 to {}", channel, max_channels - 1);
  if (response_queue_bytes < 1)
    return fmt::format("response_queue_bytes = {}: must be 1 or more", response_queue_bytes);
  return {};
}

}  // namespace scribeline::sue
