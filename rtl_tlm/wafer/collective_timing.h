// Where the cycles of collectives come from when they are simulated instead of computed by closed form.
#pragma once

#include <cstdint>

#include "rtl_tlm/wafer/descriptor.h"

namespace scribeline::wafer {

class collective_timing {
 public:
  // Of a reduce, broadcast, all_reduce or transfer of `words` 32-bit words along a line: `line` cores, or hops for a
  // transfer. Every line of a descriptor does the same at the same time. Equal calls give equal answers.
  virtual double cycles(opcode op, std::int64_t words, std::int64_t line) = 0;

 protected:
  ~collective_timing() = default;
};

}  // namespace scribeline::wafer
