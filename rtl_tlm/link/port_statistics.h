// What a port counts. Byte counts are of the whole port, all lanes together.
#pragma once

#include <cstdint>
#include <systemc>

namespace scribeline::link {

struct port_statistics {
  // Transmit side.
  std::int64_t messages_sent = 0;       // last frame started
  std::int64_t message_bytes_sent = 0;  // sizes of those messages
  std::int64_t frames_sent = 0;         // each lane's frame counts
  std::int64_t wire_bits_sent = 0;      // overhead and padding included: the event that costs energy
  sc_core::sc_time busy;                // transmitter occupied
  sc_core::sc_time credit_stall;        // transmitter idle with messages waiting, for want of credit alone
  std::int64_t credit_stalls = 0;       // times that happened
  std::int64_t peak_queued_messages = 0;
  std::int64_t peak_queued_bytes = 0;

  // Receive side.
  std::int64_t messages_received = 0;
  std::int64_t message_bytes_received = 0;
  std::int64_t frames_received = 0;
  std::int64_t peak_buffer_bytes = 0;  // most bytes in the receive buffer of one virtual channel
};

}  // namespace scribeline::link
