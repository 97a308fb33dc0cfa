// What a switch counts.
#pragma once

#include <cstdint>

namespace scribeline::switching {

struct switch_statistics {
  std::int64_t frames_in = 0;
  std::int64_t frames_out = 0;      // copies of a multicast count each
  std::int64_t bytes_out = 0;       // payload of the link
  std::int64_t frames_dropped = 0;  // for outputs whose link is down, or to nobody
  std::int64_t contributions = 0;
  std::int64_t reductions = 0;
  std::int64_t buffer_bytes = 0;       // in the packet memory now
  std::int64_t peak_buffer_bytes = 0;  // most at any time
};

// Watches one switch. Called when a value changes, at the simulated time of the change.
class switch_observer {
 public:
  virtual ~switch_observer() = default;

  // Frames that wait for an output on a virtual channel, from all inputs.
  virtual void queue_depth(int /*output*/, int /*virtual_channel*/, std::int64_t /*frames*/) {}
};

}  // namespace scribeline::switching
