// Random numbers for tests: the same seed gives the same ones on every machine.
#pragma once

#include <algorithm>
#include <cstdint>

namespace scribeline::tests {

class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // first..last, both included.
  int between(int first, int last) {
    return first + static_cast<int>(next() % static_cast<std::uint64_t>(last - first + 1));
  }
  bool chance(int percent) { return between(1, 100) <= percent; }
  // Powers of two and what lies between them are equally likely.
  int log_between(int first, int last) {
    int octaves = 0;
    while (first << (octaves + 1) <= last)
      ++octaves;
    const int octave = between(0, octaves);
    return std::min(last, between(first << octave, (first << (octave + 1)) - 1));
  }

 private:
  std::uint64_t state_;
};

}  // namespace scribeline::tests
