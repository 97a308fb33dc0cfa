// What a wave tracer or recorder may watch on an endpoint.
#pragma once

#include <cstdint>

#include "rtl_tlm/sue/transfer.h"

namespace scribeline::sue {

// Called when a value changes, at the simulated time of the change.
class endpoint_observer {
 public:
  virtual ~endpoint_observer() = default;

  // A PDU of so many transactions goes to a port.
  virtual void pdu_packed(int /*plane*/, int /*channel*/, std::int64_t /*transactions*/) {}
  // Bytes that wait to be packed, all destinations of a channel.
  virtual void queued_bytes(int /*channel*/, std::int64_t /*bytes*/) {}
  virtual void arrived(const arrival& /*a*/) {}
};

}  // namespace scribeline::sue
