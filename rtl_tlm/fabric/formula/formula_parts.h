// What all closed forms share.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "rtl_tlm/base/units.h"

namespace scribeline::fabric::formula_parts {

inline void require_line(std::int64_t words, std::int64_t cores) {
  if (words < 0) throw std::invalid_argument(fmt::format("vector of {} words: a length cannot be negative", words));
  if (cores < 1) throw std::invalid_argument(fmt::format("line of {} cores: at least one is needed", cores));
}

// Up to the next cycle; the epsilon keeps sums such as 3 * 1.125 + 0.1 from jumping over an integer they meet.
inline base::cycles whole(double exact) {
  return base::cycles{static_cast<std::int64_t>(std::ceil(exact - 1e-9))};
}

inline double real(std::int64_t n) {
  return static_cast<double>(n);
}

}  // namespace scribeline::fabric::formula_parts
