// Random numbers that are the same on every machine, compiler and library.
//
// The distributions of the standard library are not specified bit for bit, so draws are made here from
// splitmix64 (Steele, Lea and Flood, OOPSLA 2014), whose state is one word: a stream can be seeded from any
// combination of numbers (request, position, layer) without keeping it around.
#pragma once

#include <cmath>
#include <cstdint>

namespace scribeline::base {

class random_stream {
 public:
  explicit random_stream(std::uint64_t seed) : state_(seed) {}

  // A stream that depends on every one of the numbers.
  template <class... Numbers>
  static random_stream of(std::uint64_t first, Numbers... rest) {
    std::uint64_t state = first;
    ((state = random_stream(state ^ (static_cast<std::uint64_t>(rest) * 0x9e3779b97f4a7c15ull)).next()), ...);
    return random_stream(state);
  }

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }

  // Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // Uniform in [0, n), n >= 1. Multiply-shift; the bias is below n / 2^64.
  std::uint64_t below(std::uint64_t n) { return static_cast<std::uint64_t>((static_cast<wide>(next()) * n) >> 64); }

  // Exponential with the given mean.
  double exponential(double mean) { return -mean * std::log1p(-uniform()); }

 private:
  __extension__ using wide = unsigned __int128;

  std::uint64_t state_;
};

}  // namespace scribeline::base
