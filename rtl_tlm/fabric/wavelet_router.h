// The router of one core in one cycle: which heads leave, and through which sides.
//
// A head may leave when its switch position serves its queue and every queue it goes to has room. Heads that want one
// side take turns, color by color: the one behind the last winner in slot order comes first. A multicast head needs the
// turn at all its sides; sides that would stay unused because of that go to whoever can use them.
#pragma once

#include "rtl_tlm/fabric/wavelet_state.h"

namespace scribeline::fabric {

template <bool StoresWords>
class wavelet_router {
 public:
  explicit wavelet_router(wavelet_state& s)
      : s_(s),
        queues_(s.queues.data()),
        routers_(s.routers.data()),
        store_(s.store.data()),
        columns_(s.layout.columns),
        microthread_wake_(static_cast<int>(s.chip.core.microthread_wake_cycles)) {}

  void visit(int row, int column, std::uint32_t t) {
    const std::uint32_t core = static_cast<std::uint32_t>(row * columns_ + column);
    router_state& router = routers_[core];
    const std::uint32_t occupied = router.occupied;
    if ((occupied & (occupied - 1)) == 0) {
      if (occupied == 0) return;
      const int slot = lowest_bit(occupied);
      word_queue& q = queues_[router.base + static_cast<std::uint32_t>(slot)];
      if (can_leave(q, t)) send(row, column, core, router, slot, q, t);
      return;
    }
    visit_several(row, column, core, router, occupied, t);
  }

  // A pop made room in q: whoever fills it looks again in the next cycle. `owner` is the core of q.
  void wake_writer(const word_queue& q, int row, int column, std::uint32_t t) {
    switch (q.side) {
      case queue_side::north:
      case queue_side::east:
      case queue_side::south:
      case queue_side::west:
        wake_neighbour(static_cast<port>(q.side), row, column, t);
        break;
      case queue_side::ramp:
        // A microthread learns of the room later, and what it does not know of may be all the room there is.
        for (int delay = 0; delay <= microthread_wake_; ++delay)
          s_.core_wheel.set(row, column, t + 1 + static_cast<std::uint32_t>(delay));
        break;
      case queue_side::core_input:
        s_.router_wheel.set(row, column, t + 1);
        break;
    }
  }

  // A word enters queue `number` of the core at (row, column), in cycle t.
  void push(std::uint32_t number, int row, int column, std::uint32_t word, bool is_control, std::uint32_t t) {
    word_queue& q = queues_[number];
    if constexpr (StoresWords) store_[q.tail_position()] = word;
    q.push(t, is_control);
    if (q.side == queue_side::core_input) {
      if (is_control) s_.cores[static_cast<std::uint32_t>(row * columns_ + column)].flags |= core_state::control_came;
      s_.core_wheel.set(row, column, t + q.latency);
      return;
    }
    const std::uint32_t core = static_cast<std::uint32_t>(row * columns_ + column);
    router_state& router = routers_[core];
    router.occupied |= 1u << (number - router.base);
    s_.router_wheel.set(row, column, t + q.latency);
    if (s_.code.merging_routes) check_merge(number, core, t + q.latency);
  }

 private:
  bool can_leave(const word_queue& q, std::uint32_t t) const {
    if (q.transmit == 0 || q.visible(t) <= 0) return false;
    if ((q.next & word_queue::multicast) == 0) return queues_[q.next].has_room(t);
    const std::uint32_t* branch = &s_.layout.branches[q.next & ~word_queue::multicast];
    for (unsigned sides = q.transmit; sides != 0; sides &= sides - 1, ++branch)
      if ((*branch & sink_branch) == 0 && !queues_[*branch].has_room(t)) return false;
    return true;
  }

  void visit_several(int row, int column, std::uint32_t core, router_state& router, std::uint32_t occupied,
                     std::uint32_t t) {
    std::uint32_t ready = 0;
    unsigned used = 0;
    bool conflict = false;
    for (std::uint32_t rest = occupied; rest != 0; rest &= rest - 1) {
      const int slot = lowest_bit(rest);
      const word_queue& q = queues_[router.base + static_cast<std::uint32_t>(slot)];
      if (!can_leave(q, t)) continue;
      ready |= 1u << slot;
      conflict |= (used & q.transmit) != 0;
      used |= q.transmit;
    }
    const std::uint32_t granted = conflict ? arbitrate(router, ready) : ready;
    if (granted != ready) s_.router_wheel.set(row, column, t + 1);
    for (std::uint32_t rest = granted; rest != 0; rest &= rest - 1) {
      const int slot = lowest_bit(rest);
      send(row, column, core, router, slot, queues_[router.base + static_cast<std::uint32_t>(slot)], t);
    }
  }

  // The first of `wanting` behind the last winner, in slot order.
  static int next_turn(std::uint32_t wanting, unsigned last) {
    const std::uint32_t behind = last >= 31 ? 0 : wanting & ~((2u << last) - 1u);
    return lowest_bit(behind != 0 ? behind : wanting);
  }

  std::uint32_t arbitrate(const router_state& router, std::uint32_t ready) const {
    std::array<std::uint32_t, ports> wanting{};
    for (std::uint32_t rest = ready; rest != 0; rest &= rest - 1)
      for (unsigned sides = transmit(router, lowest_bit(rest)); sides != 0; sides &= sides - 1)
        wanting[static_cast<std::size_t>(lowest_bit(sides))] |= rest & (0u - rest);
    std::array<int, ports> winner{};
    for (std::size_t side = 0; side < ports; ++side)
      winner[side] = wanting[side] == 0 ? -1 : next_turn(wanting[side], router.last_granted[side]);
    std::uint32_t granted = 0;
    unsigned used = 0;
    for (std::uint32_t rest = ready; rest != 0; rest &= rest - 1) {
      const int slot = lowest_bit(rest);
      bool wins = true;
      for (unsigned sides = transmit(router, slot); sides != 0; sides &= sides - 1)
        wins &= winner[static_cast<std::size_t>(lowest_bit(sides))] == slot;
      if (!wins) continue;
      granted |= 1u << slot;
      used |= transmit(router, slot);
    }
    for (std::size_t side = 0; side < ports; ++side) {
      std::uint32_t able = 0;
      for (std::uint32_t rest = wanting[side] & ~granted; rest != 0 && (used >> side & 1u) == 0; rest &= rest - 1)
        if ((transmit(router, lowest_bit(rest)) & used) == 0) able |= rest & (0u - rest);
      if (able == 0) continue;
      const int slot = next_turn(able, router.last_granted[side]);
      granted |= 1u << slot;
      used |= transmit(router, slot);
    }
    return granted;
  }

  unsigned transmit(const router_state& router, int slot) const {
    return queues_[router.base + static_cast<std::uint32_t>(slot)].transmit;
  }

  void send(int row, int column, std::uint32_t core, router_state& router, int slot, word_queue& q, std::uint32_t t) {
    std::uint32_t word = 0;
    if constexpr (StoresWords) word = store_[q.head_position()];
    const bool is_control = StoresWords && q.head_is_control();
    const bool writer_may_wait = q.size() >= q.capacity - (q.side == queue_side::ramp ? microthread_wake_ : 0);
    q.pop(t);
    if (writer_may_wait) wake_writer(q, row, column, t);
    if (q.size() == 0)
      router.occupied &= ~(1u << slot);
    else
      s_.router_wheel.set(row, column, t + 1);
    for (unsigned sides = q.transmit; sides != 0; sides &= sides - 1)
      router.last_granted[static_cast<std::size_t>(lowest_bit(sides))] = static_cast<std::uint8_t>(slot);
    const control_word command = control_word::from_bits(word);
    const std::uint32_t onward = is_control ? command.popped().bits() : word;
    if ((q.next & word_queue::multicast) == 0) {
      push_to_side(q.next, static_cast<port>(lowest_bit(q.transmit)), row, column, onward, is_control, t);
    } else {
      const std::uint32_t* branch = &s_.layout.branches[q.next & ~word_queue::multicast];
      for (unsigned sides = q.transmit; sides != 0; sides &= sides - 1, ++branch)
        if ((*branch & sink_branch) != 0)
          leave_fabric(*branch & ~sink_branch, onward, is_control, t);
        else
          push_to_side(*branch, static_cast<port>(lowest_bit(sides)), row, column, onward, is_control, t);
    }
    s_.last_action = s_.last_action < t ? t : s_.last_action;
    if (is_control && command.first_command() == switch_command::advance) advance(row, column, core, q.color, t);
  }

  void push_to_side(std::uint32_t number, port side, int row, int column, std::uint32_t word, bool is_control,
                    std::uint32_t t) {
    const coordinate to = neighbour({column, row}, side);
    push(number, to.row, to.column, word, is_control, t);
  }

  void wake_neighbour(port side, int row, int column, std::uint32_t t) {
    const coordinate from = neighbour({column, row}, side);
    // Outside the rectangle an edge source is the writer; it is driven with the core it enters.
    if (from.column < 0 || from.row < 0 || from.column >= columns_ || from.row >= s_.layout.rows)
      s_.core_wheel.set(row, column, t + 1);
    else
      s_.router_wheel.set(from.row, from.column, t + 1);
  }

  void leave_fabric(std::uint32_t number, std::uint32_t word, bool is_control, std::uint32_t t) {
    if (is_control) return;
    sink_record& sink = s_.sinks[number];
    if (sink.words++ == 0) sink.first_cycle = t;
    sink.last_cycle = t;
    if (s_.options.values) sink.values.push_back(word);
  }

  // The router's route of a color goes to its next position; in effect from the next cycle on.
  void advance(int row, int column, std::uint32_t core, color_id color, std::uint32_t t) {
    const class_image& image = s_.image_of(core);
    const route& r = s_.code.routes[static_cast<std::size_t>(image.route_of_color[color])];
    if (r.positions.size() == 1) return;
    for (const std::int8_t slot : image.router_slot[color]) {
      if (slot < 0) continue;
      const std::uint32_t number = routers_[core].base + static_cast<std::uint32_t>(slot);
      std::uint8_t& position = s_.layout.position_of_queue[number];
      if (position + 1u < r.positions.size())
        ++position;
      else if (r.ring)
        position = 0;
      const queue_exit& now = s_.layout.exits[s_.layout.switch_of_queue[number]][position];
      queues_[number].next = now.next;
      queues_[number].transmit = now.transmit;
    }
    s_.router_wheel.set(row, column, t + 1);
  }

  // Merging routes: no other queue that the current position serves may get a word in the same cycle.
  void check_merge(std::uint32_t number, std::uint32_t core, std::uint32_t arrival) {
    const word_queue& q = queues_[number];
    if (q.transmit == 0) return;
    for (const std::int8_t slot : s_.image_of(core).router_slot[q.color]) {
      if (slot < 0) continue;
      const std::uint32_t other_number = routers_[core].base + static_cast<std::uint32_t>(slot);
      const word_queue& other = queues_[other_number];
      if (other_number == number || other.transmit == 0) continue;
      const std::uint32_t age = other.last_push + other.latency - arrival;  // it arrives at its last push less k
      if (age >= 8 || (other.push_history >> age & 1) == 0) continue;
      if (arrival > s_.violation_cycle || (arrival == s_.violation_cycle && core >= s_.violation_core)) continue;
      s_.violation_cycle = arrival;
      s_.violation_core = core;
      s_.violation_color = q.color;
    }
  }

  wavelet_state& s_;
  word_queue* queues_;
  router_state* routers_;
  std::uint32_t* store_;
  int columns_;
  int microthread_wake_;
};

}  // namespace scribeline::fabric
