// Quantities of the hardware models: cycles, bytes and what converts them into simulated time.
//
// A count of cycles means nothing without its clock, a count of bytes nothing without its link, so the
// conversions live in `frequency` and `bandwidth` and round once, to the picosecond, at the end.
#pragma once

#include <cmath>
#include <cstdint>
#include <systemc>

namespace scribeline::base {

// An integral count that does not mix with other counts by accident.
template <class Tag>
class count {
 public:
  constexpr count() = default;
  constexpr explicit count(std::int64_t value) : value_(value) {}

  constexpr std::int64_t value() const { return value_; }

  constexpr count& operator+=(count other) { return value_ += other.value_, *this; }
  constexpr count& operator-=(count other) { return value_ -= other.value_, *this; }
  friend constexpr count operator+(count a, count b) { return count{a.value_ + b.value_}; }
  friend constexpr count operator-(count a, count b) { return count{a.value_ - b.value_}; }
  friend constexpr count operator*(count a, std::int64_t n) { return count{a.value_ * n}; }
  friend constexpr count operator*(std::int64_t n, count a) { return a * n; }
  friend constexpr bool operator==(count a, count b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(count a, count b) { return a.value_ != b.value_; }
  friend constexpr bool operator<(count a, count b) { return a.value_ < b.value_; }
  friend constexpr bool operator<=(count a, count b) { return a.value_ <= b.value_; }
  friend constexpr bool operator>(count a, count b) { return a.value_ > b.value_; }
  friend constexpr bool operator>=(count a, count b) { return a.value_ >= b.value_; }

 private:
  std::int64_t value_ = 0;
};

using cycles = count<struct cycles_tag>;
using bytes = count<struct bytes_tag>;

// Quotient rounded up, for a >= 0 and b > 0.
template <class Integer>
constexpr Integer ceil_div(Integer a, Integer b) {
  return (a + b - 1) / b;
}

// A duration given as a real number of picoseconds, rounded to the nearest one.
inline sc_core::sc_time picoseconds(double ps) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(std::llround(ps)));
}

inline double to_picoseconds(const sc_core::sc_time& t) {
  return t.to_seconds() * 1e12;
}

// A clock rate.
class frequency {
 public:
  constexpr explicit frequency(double gigahertz) : gigahertz_(gigahertz) {}

  constexpr double gigahertz() const { return gigahertz_; }
  double picoseconds_for(cycles n) const { return static_cast<double>(n.value()) * 1000.0 / gigahertz_; }
  sc_core::sc_time duration(cycles n) const { return picoseconds(picoseconds_for(n)); }

 private:
  double gigahertz_;
};

// A data rate. 1 Gb/s = 1e9 bits per second.
class bandwidth {
 public:
  constexpr explicit bandwidth(double gigabits_per_second) : gigabits_per_second_(gigabits_per_second) {}

  constexpr double gigabits_per_second() const { return gigabits_per_second_; }
  double picoseconds_for(bytes n) const { return static_cast<double>(n.value()) * 8000.0 / gigabits_per_second_; }
  sc_core::sc_time duration(bytes n) const { return picoseconds(picoseconds_for(n)); }

 private:
  double gigabits_per_second_;
};

}  // namespace scribeline::base
