// Who leaves a router when several heads want one side: they take turns, color by color.
//
// Heads are named by slot. On every side the first one behind the last winner of that side, in slot order, comes next;
// a winner is remembered only where there was somebody else to win against. A multicast head needs the turn at all its
// sides; sides that would stay unused because of that go to whoever can use all he needs.
#pragma once

#include "rtl_tlm/fabric/wavelet/wavelet_state.h"

namespace scribeline::fabric {

class side_turns {
 public:
  void add(int slot, unsigned sides) {
    ready_ |= 1u << slot;
    if ((sides & (sides - 1)) == 0) {
      wanting_[static_cast<std::size_t>(lowest_bit(sides))] |= 1u << slot;
      return;
    }
    multicast_ |= 1u << slot;
    for (; sides != 0; sides &= sides - 1)
      wanting_[static_cast<std::size_t>(lowest_bit(sides))] |= 1u << slot;
  }

  std::uint32_t ready() const { return ready_; }

  // The slots that leave now.
  std::uint32_t grant(router_state& router) const {
    if (multicast_ != 0) return grant_multicast(router);
    std::uint32_t granted = 0;
    for (std::size_t side = 0; side < ports; ++side) {
      const std::uint32_t wanting = wanting_[side];
      if ((wanting & (wanting - 1)) == 0) {
        granted |= wanting;
        continue;
      }
      const int slot = next_turn(wanting, router.last_granted[side]);
      router.last_granted[side] = static_cast<std::uint8_t>(slot);
      granted |= 1u << slot;
    }
    return granted;
  }

 private:
  static int next_turn(std::uint32_t wanting, unsigned last) {
    const std::uint32_t behind = last >= 31 ? 0 : wanting & ~((2u << last) - 1u);
    return lowest_bit(behind != 0 ? behind : wanting);
  }

  std::uint32_t grant_multicast(router_state& router) const {
    std::uint32_t granted = 0;
    unsigned used = 0;
    for (std::uint32_t rest = ready_; rest != 0; rest &= rest - 1) {
      const int slot = lowest_bit(rest);
      const unsigned wanted = sides_of(slot);
      bool wins = true;
      for (unsigned sides = wanted; sides != 0; sides &= sides - 1) {
        const auto side = static_cast<std::size_t>(lowest_bit(sides));
        wins &= next_turn(wanting_[side], router.last_granted[side]) == slot;
      }
      if (!wins) continue;
      granted |= 1u << slot;
      used |= wanted;
    }
    for (std::size_t side = 0; side < ports; ++side) {
      if ((used >> side & 1u) != 0) continue;
      std::uint32_t able = 0;
      for (std::uint32_t rest = wanting_[side]; rest != 0; rest &= rest - 1)
        if ((sides_of(lowest_bit(rest)) & used) == 0) able |= rest & (0u - rest);
      if (able == 0) continue;
      const int slot = next_turn(able, router.last_granted[side]);
      granted |= 1u << slot;
      used |= sides_of(slot);
    }
    for (std::size_t side = 0; side < ports; ++side)
      if (const std::uint32_t winner = wanting_[side] & granted; winner != 0 && winner != wanting_[side])
        router.last_granted[side] = static_cast<std::uint8_t>(lowest_bit(winner));
    return granted;
  }

  unsigned sides_of(int slot) const {
    unsigned sides = 0;
    for (std::size_t side = 0; side < ports; ++side)
      sides |= (wanting_[side] >> slot & 1u) << side;
    return sides;
  }

  std::array<std::uint32_t, ports> wanting_{};  // by side: slots
  std::uint32_t ready_ = 0;
  std::uint32_t multicast_ = 0;
};

}  // namespace scribeline::fabric
