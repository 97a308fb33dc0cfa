// Where the time of exchanges between ranks comes from: closed forms, or a simulated network.
#pragma once

#include <cstdint>

#include "rtl_tlm/accelerator/descriptor.h"

namespace scribeline::accelerator {

// One exchange, as every rank of the group takes part in it at the same time.
struct exchange {
  opcode op = opcode::all_reduce;
  std::uint32_t ranks = 1;
  double bytes = 0;             // dense: of the whole tensor; dispatch and combine: through the busiest port
  double tokens = 0;            // dispatch and combine: of one rank
  double round_trip_bytes = 0;  // dispatch and combine: of both, through the busiest port
  bool low_precision = false;   // combine: results travel in 4 bits
};

class network_timing {
 public:
  // From the last rank's start to the last rank's end. Equal calls give equal answers.
  virtual double nanoseconds(const exchange& what) = 0;
  // Payload one rank sends.
  virtual double bytes_sent(const exchange& what) = 0;

 protected:
  ~network_timing() = default;
};

}  // namespace scribeline::accelerator
