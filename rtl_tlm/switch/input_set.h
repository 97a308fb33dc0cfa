// The inputs that have something for an output, as bits: the next one in turn is found word by word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scribeline::switching {

class input_set {
 public:
  explicit input_set(int inputs = 0) : words_((static_cast<std::size_t>(inputs) + 63) / 64, 0) {}

  void insert(int input) { words_[index(input)] |= bit(input); }
  void erase(int input) { words_[index(input)] &= ~bit(input); }

  // The first member at or after `input`, or -1.
  int first_from(int input) const {
    std::size_t w = index(input);
    if (w >= words_.size()) return -1;
    std::uint64_t word = words_[w] & ~(bit(input) - 1);
    while (word == 0) {
      if (++w == words_.size()) return -1;
      word = words_[w];
    }
    return static_cast<int>(w * 64) + __builtin_ctzll(word);
  }

 private:
  static std::size_t index(int input) { return static_cast<std::size_t>(input) / 64; }
  static std::uint64_t bit(int input) { return std::uint64_t{1} << (input % 64); }

  std::vector<std::uint64_t> words_;
};

}  // namespace scribeline::switching
