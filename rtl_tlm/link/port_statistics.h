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
  sc_core::sc_time credit_stall;        // transmitter idle with messages waiting, for want of credit (or paused) alone
  std::int64_t credit_stalls = 0;       // times that happened
  std::int64_t peak_queued_messages = 0;
  std::int64_t peak_queued_bytes = 0;
  sc_core::sc_time replay_buffer_stall;  // transmitter idle with messages and credit, for want of room to keep a frame
  std::int64_t frames_replayed = 0;      // of frames_sent
  std::int64_t frames_corrupted = 0;     // of frames_sent
  std::int64_t replays = 0;              // asked for by a NACK or the timer
  std::int64_t replay_timeouts = 0;      // those by the timer
  std::int64_t peak_replay_bytes = 0;    // most in the replay buffer

  // Receive side.
  std::int64_t messages_received = 0;
  std::int64_t message_bytes_received = 0;
  std::int64_t frames_received = 0;
  std::int64_t frames_bad = 0;         // arrived corrupt
  std::int64_t frames_repeated = 0;    // arrived good, for the second time
  std::int64_t frames_skipped = 0;     // arrived good, out of sequence
  std::int64_t frames_overflowed = 0;  // arrived good, found no room: pause flow control with too little headroom
  std::int64_t messages_broken = 0;    // some of their frames arrived, others were lost for good
  std::int64_t acks_sent = 0;
  std::int64_t nacks_sent = 0;
  std::int64_t credit_updates_sent = 0;
  std::int64_t credit_updates_lost = 0;  // of those, on the wire
  std::int64_t pauses_sent = 0;          // pause and resume messages
  std::int64_t pauses_lost = 0;          // of those, on the wire
  std::int64_t peak_buffer_bytes = 0;    // most bytes in the receive buffer of one virtual channel
};

}  // namespace scribeline::link
