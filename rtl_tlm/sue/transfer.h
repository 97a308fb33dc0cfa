// What the accelerator behind an endpoint asks for, and what it hears back.
#pragma once

#include <cstdint>
#include <systemc>

#include "rtl_tlm/base/units.h"

namespace scribeline::sue {

enum class transfer_kind : std::uint8_t {
  send,           // bytes to a rank: posted writes
  read_request,   // asks a rank for bytes
  read_response,  // the bytes asked for
  reduced         // the result of an all-reduce in the network
};

constexpr const char* to_string(transfer_kind k) {
  switch (k) {
    case transfer_kind::send:
      return "send";
    case transfer_kind::read_request:
      return "read request";
    case transfer_kind::read_response:
      return "read response";
    case transfer_kind::reduced:
      break;
  }
  return "reduced";
}

// Names a transfer at the endpoint that began it. Never 0.
using transfer_id = std::uint64_t;

// All bytes of a transfer are acknowledged by its destination.
struct completion {
  transfer_id id = 0;
  int destination = 0;
  base::bytes size;
  std::uint64_t tag = 0;
  sc_core::sc_time began_at;  // when send() or read() was called
};

// A transfer that is here with all its bytes.
struct arrival {
  transfer_kind kind = transfer_kind::send;
  int source = 0;  // the sender; of a reduced vector: the group
  base::bytes size;
  std::uint64_t tag = 0;      // as the sender gave it; of a read response: as read() gave it
  sc_core::sc_time began_at;  // when the sender called send(), read() or all_reduce(); of a response: read()
  std::uint64_t value = 0;    // of a reduced vector: the sum of all contributions
};

}  // namespace scribeline::sue
