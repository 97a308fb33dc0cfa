// Parallelism in one line.
#pragma once

#include <cstdint>

#include "firmware_stubs/accelerator_kernels/parallelism.h"

namespace scribeline::accelerator_kernels {

inline parallelism spread(std::int64_t tensor, std::int64_t data = 1, std::int64_t expert = 1) {
  parallelism p;
  p.tensor = tensor;
  p.data = data;
  p.expert = expert;
  return p;
}

}  // namespace scribeline::accelerator_kernels
