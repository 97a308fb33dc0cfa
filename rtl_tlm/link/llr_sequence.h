// 20-bit sequence numbers of link-layer retry: they travel in the preamble and wrap.
#pragma once

#include <cstdint>

namespace scribeline::link {

class llr_sequence {
 public:
  static constexpr std::uint32_t count = 1u << 20;

  constexpr llr_sequence() = default;
  constexpr explicit llr_sequence(std::uint32_t number) : number_(number % count) {}

  constexpr std::uint32_t number() const { return number_; }
  constexpr llr_sequence plus(std::uint32_t n) const { return llr_sequence{number_ + n}; }
  constexpr llr_sequence next() const { return plus(1); }
  constexpr llr_sequence previous() const { return plus(count - 1); }

  // Steps forward from `a` to `b`: 0 to count - 1.
  friend constexpr std::uint32_t distance(llr_sequence a, llr_sequence b) { return (b.number_ - a.number_) % count; }
  // a comes before b: right while less than half the numbers are in use.
  friend constexpr bool before(llr_sequence a, llr_sequence b) { return a != b && distance(a, b) < count / 2; }
  friend constexpr bool operator==(llr_sequence a, llr_sequence b) { return a.number_ == b.number_; }
  friend constexpr bool operator!=(llr_sequence a, llr_sequence b) { return a.number_ != b.number_; }

 private:
  std::uint32_t number_ = 0;
};

}  // namespace scribeline::link
