// Who has to be visited when: one bit per core and cycle, for the next few cycles.
//
// Only what is set is visited, in the order of the cores. Rows are independent of each other, so that they may be at
// different cycles. Bits are hints: a cycle too far ahead is visited earlier, and whoever finds that nothing is to be
// done yet sets the bit again. A visit too early is harmless, a visit too late does not happen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scribeline::fabric {

// Index of the lowest set bit of a word that is not zero.
inline int lowest_bit(std::uint64_t word) {
  return __builtin_ctzll(word);
}

class activity_wheel {
 public:
  static constexpr std::uint32_t slots = 64;

  // Cores are numbered row by row, `pitch` numbers to a row, a multiple of 64.
  activity_wheel(std::size_t pitch, std::size_t rows)
      : row_words_(pitch / 64), bits_(row_words_ * rows * slots, 0), used_(row_words_ * rows, 0) {}

  void set(std::uint32_t core, std::uint32_t cycle) {
    const std::uint32_t slot = cycle % slots;
    used_[core / 64] |= std::uint64_t{1} << slot;
    bits_[(core & ~63u) + slot] |= std::uint64_t{1} << (core & 63);
  }

  // Calls visit_core(core) for what is set in this row and cycle in the columns begin..end - 1, and clears it.
  // visit_core may set later cycles.
  template <class Visit>
  void visit(int row, int begin, int end, std::uint32_t cycle, Visit&& visit_core) {
    const std::size_t row_first = static_cast<std::size_t>(row) * row_words_;
    const std::uint32_t slot = cycle % slots;
    std::uint64_t* words = &bits_[row_first * slots + slot];
    const auto first = static_cast<std::size_t>(begin) / 64;
    const auto last = static_cast<std::size_t>(end - 1) / 64;
    std::uint64_t mask = ~std::uint64_t{0} << (begin % 64);
    for (std::size_t w = first; w <= last; ++w, mask = ~std::uint64_t{0}) {
      if ((used_[row_first + w] >> slot & 1) == 0) continue;
      if (w == last) mask &= ~std::uint64_t{0} >> (63 - (end - 1) % 64);
      std::uint64_t word = words[w * slots] & mask;
      if (word == 0) continue;
      if ((words[w * slots] &= ~mask) == 0) used_[row_first + w] &= ~(std::uint64_t{1} << slot);
      const auto group = static_cast<std::uint32_t>((row_first + w) * 64);
      for (; word != 0; word &= word - 1)
        visit_core(group + static_cast<std::uint32_t>(lowest_bit(word)));
    }
  }

  // Cycles from `cycle` to the next one with anything set in any row; `slots` when there is none. All rows must have
  // been visited up to `cycle`.
  std::uint32_t idle_cycles(std::uint32_t cycle) const { return idle_cycles(0, used_.size(), cycle); }
  // The same for the columns begin..end - 1 of a row, and their neighbours up to a multiple of 64.
  std::uint32_t idle_cycles(int row, int begin, int end, std::uint32_t cycle) const {
    const std::size_t row_first = static_cast<std::size_t>(row) * row_words_;
    return idle_cycles(row_first + static_cast<std::size_t>(begin) / 64,
                       row_first + static_cast<std::size_t>(end - 1) / 64 + 1, cycle);
  }

  std::size_t memory_bytes() const { return (bits_.size() + used_.size()) * sizeof(std::uint64_t); }

 private:
  std::uint32_t idle_cycles(std::size_t first, std::size_t last, std::uint32_t cycle) const {
    std::uint64_t used = 0;
    for (std::size_t group = first; group < last; ++group)
      used |= used_[group];
    if (used == 0) return slots;
    const std::uint32_t slot = cycle % slots;
    return static_cast<std::uint32_t>(lowest_bit(slot == 0 ? used : used >> slot | used << (slots - slot)));
  }

  std::size_t row_words_;
  std::vector<std::uint64_t> bits_;  // 64 cores, slot
  std::vector<std::uint64_t> used_;  // by 64 cores: slots with bits
};

}  // namespace scribeline::fabric
