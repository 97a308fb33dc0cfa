// Who has to be visited when: one bit per core and cycle, for the next few cycles.
//
// Only what is set is visited, in the order of the columns. Rows are independent of each other, so that they may be at
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

template <std::uint32_t Slots>
class activity_wheel {
  static_assert(Slots >= 2 && Slots <= 64, "a row's slots are the bits of one word");

 public:
  static constexpr std::uint32_t slots = Slots;

  activity_wheel(int columns, int rows)
      : words_((static_cast<std::size_t>(columns) + 63) / 64),
        bits_(static_cast<std::size_t>(rows) * slots * words_, 0),
        pending_(static_cast<std::size_t>(rows), 0) {}

  void set(int row, int column, std::uint32_t cycle) {
    const std::uint32_t slot = cycle % slots;
    bits_[(static_cast<std::size_t>(row) * slots + slot) * words_ + (static_cast<std::size_t>(column) >> 6)] |=
        std::uint64_t{1} << (column & 63);
    pending_[static_cast<std::size_t>(row)] |= std::uint64_t{1} << slot;
  }

  // Calls visit(column) for what is set in this row and cycle, and clears it. visit may set later cycles.
  template <class Visit>
  void visit(int row, std::uint32_t cycle, Visit&& visit_column) {
    const std::uint32_t slot = cycle % slots;
    std::uint64_t& pending = pending_[static_cast<std::size_t>(row)];
    if ((pending >> slot & 1) == 0) return;
    pending &= ~(std::uint64_t{1} << slot);
    std::uint64_t* words = &bits_[(static_cast<std::size_t>(row) * slots + slot) * words_];
    for (std::size_t w = 0; w < words_; ++w) {
      std::uint64_t word = words[w];
      if (word == 0) continue;
      words[w] = 0;
      do {
        visit_column(static_cast<int>(w * 64) + lowest_bit(word));
        word &= word - 1;
      } while (word != 0);
    }
  }

  // Cycles from `cycle` to the next one with anything set in any row; `slots` when there is none.
  std::uint32_t idle_cycles(std::uint32_t cycle) const {
    std::uint64_t any = 0;
    for (const std::uint64_t pending : pending_)
      any |= pending;
    if (any == 0) return slots;
    const std::uint32_t slot = cycle % slots;
    const std::uint64_t later_this_turn = any >> slot;
    if (later_this_turn != 0) return static_cast<std::uint32_t>(lowest_bit(later_this_turn));
    return static_cast<std::uint32_t>(lowest_bit(any)) + slots - slot;
  }

  std::size_t memory_bytes() const { return (bits_.size() + pending_.size()) * sizeof(std::uint64_t); }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;     // row, slot, word
  std::vector<std::uint64_t> pending_;  // of each row: slots with anything set
};

}  // namespace scribeline::fabric
