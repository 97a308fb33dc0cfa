// Where errors fall on a stream of bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "rtl_tlm/base/random.h"

namespace scribeline::link {

// The stream is cut into units (bits, codewords, messages) that are bad independently of each other. Draws one random
// number per bad unit, none for the good ones: it jumps from one bad unit to the next.
class error_process {
 public:
  // Without errors.
  error_process() = default;
  error_process(double probability, std::int64_t unit_bits, std::uint64_t seed)
      : probability_(probability), unit_bits_(unit_bits), random_(seed) {
    next_bad_ = probability > 0 ? good_units() : none;
  }

  // Whether a bad unit touches the next `bits` of the stream.
  bool hits(std::int64_t bits) {
    if (next_bad_ == none) return false;
    const std::int64_t begin = position_;
    position_ += bits;
    while ((next_bad_ + 1) * unit_bits_ <= begin)
      next_bad_ += 1 + good_units();
    return next_bad_ * unit_bits_ < position_;
  }

 private:
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

  // Good units before the next bad one: geometric, by inversion.
  std::int64_t good_units() {
    if (probability_ >= 1) return 0;
    const double units = std::log(1 - random_.uniform()) / std::log1p(-probability_);
    // Farther than any simulation goes, and safe to multiply.
    const double farthest = 1e17 / static_cast<double>(unit_bits_);
    return static_cast<std::int64_t>(units < farthest ? units : farthest);
  }

  double probability_ = 0;
  std::int64_t unit_bits_ = 1;
  base::random_stream random_{0};
  std::int64_t position_ = 0;
  std::int64_t next_bad_ = none;  // index of the next bad unit
};

}  // namespace scribeline::link
