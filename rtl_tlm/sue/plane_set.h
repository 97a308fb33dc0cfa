// Planes, as bits.
#pragma once

#include <cstdint>

namespace scribeline::sue {

constexpr int max_planes = 64;

class plane_set {
 public:
  constexpr plane_set() = default;
  static constexpr plane_set first(int n) {
    plane_set s;
    s.bits_ = n >= max_planes ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
    return s;
  }

  constexpr bool has(int plane) const { return (bits_ >> plane & 1) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr int size() const { return __builtin_popcountll(bits_); }
  constexpr void insert(int plane) { bits_ |= std::uint64_t{1} << plane; }
  constexpr void erase(int plane) { bits_ &= ~(std::uint64_t{1} << plane); }
  // The n-th member, from 0 on; n < size().
  constexpr int at(int n) const {
    std::uint64_t rest = bits_;
    while (n-- > 0)
      rest &= rest - 1;
    return __builtin_ctzll(rest);
  }
  friend constexpr plane_set operator&(plane_set a, plane_set b) {
    a.bits_ &= b.bits_;
    return a;
  }

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace scribeline::sue
