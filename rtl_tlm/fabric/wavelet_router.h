// The router of one core in one cycle: which heads leave, and through which sides.
//
// A head may leave when its switch position serves its queue and every queue it goes to has room. Heads that want one
// side take turns, color by color: the one behind the last winner of that side, in slot order, comes first. A multicast
// head needs the turn at all its sides; sides that would stay unused because of that go to whoever can use them.
#pragma once

#include <algorithm>

#include "rtl_tlm/fabric/wavelet_state.h"

namespace scribeline::fabric {

template <bool StoresWords>
class wavelet_router {
 public:
  explicit wavelet_router(wavelet_state& s)
      : s_(s),
        queues_(s.queues.data()),
        times_(s.slot_times.data()),
        words_(s.slot_words.data()),
        routers_(s.routers.data()),
        branches_(s.layout.branches.data()),
        columns_(static_cast<std::uint32_t>(s.layout.columns)),
        merging_(s.code.merging_routes) {}

  void visit(int row, int column, std::uint32_t t) {
    const std::uint32_t core = static_cast<std::uint32_t>(row) * columns_ + static_cast<std::uint32_t>(column);
    router_state& router = routers_[core];
    const std::uint32_t occupied = router.occupied;
    if (occupied == 0) return;
    if ((occupied & (occupied - 1)) != 0) return visit_several(row, column, router, occupied, t);
    word_queue& q = queues_[router.base + static_cast<std::uint32_t>(lowest_bit(occupied))];
    if (q.has_own_sides) return stream(row, column, core, router, q, t);
    if (can_leave(q, row, column, t)) send_and_return(row, column, core, router, q, t);
  }

  // A word enters a queue in cycle t.
  void push(std::uint32_t number, std::uint32_t word, bool is_control, std::uint32_t t) {
    word_queue& q = queues_[number];
    if constexpr (StoresWords) words_[q.slot_at(q.count)] = word;
    q.push(times_, t, is_control);
    if (q.count == 1) wake_reader(q, t + q.latency);
    if (StoresWords && is_control && q.side == queue_side::core_input)
      s_.cores[q.reader_row * columns_ + q.reader_column].flags |= core_state::control_came;
    if (merging_ && q.side != queue_side::core_input) check_merge(number, t + q.latency);
  }

  // Takes the head, which is visible.
  std::uint32_t pop(std::uint32_t number, word_queue& q, std::uint32_t t) {
    std::uint32_t word = 0;
    if constexpr (StoresWords) word = words_[q.head_slot()];
    if (q.is_full()) wake_writer(number, t + q.delay);
    q.pop(times_, t);
    return word;
  }

  // --- many words without values, `period` cycles apart from cycle t on ---

  // How many of the next `most` words a reader finds in time: at least 1 when the first is.
  std::uint32_t count_ready(const word_queue& q, std::uint32_t t, std::uint32_t period, std::uint32_t most) const {
    return count_in_time(q, 0, t, period, std::min<std::uint32_t>(most, q.count));
  }

  // How many of the next `most` words find room in time. A microthread learns of room `wake` cycles later and keeps the
  // pace of the queue.
  std::uint32_t count_room(const word_queue& q, std::uint32_t t, std::uint32_t period, std::uint32_t most,
                           std::uint32_t wake) const {
    most = std::min<std::uint32_t>(most, static_cast<std::uint32_t>(q.capacity - q.count));
    if (wake != 0 && q.pace_words != 0) most = std::min<std::uint32_t>(most, paced_words(q, t));
    return count_in_time(q, q.count, t > wake ? t - wake : 0, period, most);
  }

  void pop_many(std::uint32_t number, std::uint32_t t, std::uint32_t period, std::uint32_t n) {
    word_queue& q = queues_[number];
    if (q.is_full()) wake_writer(number, t + q.delay);
    fill_times(q, 0, t + q.delay, period, n);
    q.head = static_cast<std::uint16_t>(q.slot_at(n) - q.ring);
    q.count = static_cast<std::uint16_t>(q.count - n);
  }

  void push_many(std::uint32_t number, std::uint32_t t, std::uint32_t period, std::uint32_t n) {
    word_queue& q = queues_[number];
    if (q.count == 0) wake_reader(q, t + q.latency);
    fill_times(q, q.count, t + q.latency, period, n);
    q.count = static_cast<std::uint16_t>(q.count + n);
    q.words += n;
  }

  void act(std::uint32_t t) { last_action_ = last_action_ < t ? t : last_action_; }
  std::uint32_t last_action() const { return last_action_; }

 private:
  // How many of `most` slots, from the first-th behind the head on, have times up to t, t + period, ... (A control
  // word's time is beyond every cycle.) Slots were filled and freed a cycle apart at least, so with a period of 1 all
  // are in time when the last one is, and the answer can be searched.
  std::uint32_t count_in_time(const word_queue& q, std::uint32_t first, std::uint32_t t, std::uint32_t period,
                              std::uint32_t most) const {
    const auto in_time = [&](std::uint32_t i) { return times_[q.slot_at(first + i)] <= t + i * period; };
    if (most == 0) return 0;
    std::uint32_t known = 0;  // that many are in time
    if (period == 1 && !StoresWords) {
      if (in_time(most - 1)) return most;
      std::uint32_t late = most - 1;
      while (known < late) {
        const std::uint32_t middle = (known + late) / 2;
        if (in_time(middle))
          known = middle + 1;
        else
          late = middle;
      }
      return known;
    }
    while (known < most && in_time(known))
      ++known;
    return known;
  }

  void fill_times(const word_queue& q, std::uint32_t first, std::uint32_t time, std::uint32_t period, std::uint32_t n) {
    const std::uint32_t begin = q.slot_at(first);
    const std::uint32_t before_wrap = std::min(n, q.ring + q.capacity - begin);
    for (std::uint32_t i = 0; i < before_wrap; ++i)
      times_[begin + i] = time + i * period;
    for (std::uint32_t i = before_wrap; i < n; ++i)
      times_[q.ring + i - before_wrap] = time + i * period;
  }

  // How many words a microthread may push from cycle t on before it has to look at its pace again.
  std::uint32_t paced_words(const word_queue& q, std::uint32_t t) const {
    std::uint32_t allowed = 0;
    while (allowed < q.pace_words) {
      const std::uint32_t back = q.pace_words - allowed;  // that many words before the next one
      if (q.count >= back &&
          (times_[q.slot_at(q.count - back)] & ~word_queue::control) - q.latency + q.pace_cycles > t + allowed)
        break;
      ++allowed;
    }
    return allowed;
  }

  // Sets the reader's bit for the cycle in which it sees the first word of a queue that was empty.
  void wake_reader(const word_queue& q, std::uint32_t cycle) {
    if (q.side == queue_side::core_input) return s_.core_wheel.set(q.reader_row, q.reader_column, cycle);
    routers_[q.reader_row * columns_ + q.reader_column].occupied |= 1u << q.slot;
    s_.router_wheel.set(q.reader_row, q.reader_column, cycle);
  }

  void wake_writer(std::uint32_t number, std::uint32_t cycle) {
    const std::uint32_t writer = s_.layout.writers[number];
    const std::uint32_t core = writer & ~written_by_core;
    const int row = static_cast<int>(core / columns_);
    const int column = static_cast<int>(core % columns_);
    if ((writer & written_by_core) != 0)
      s_.core_wheel.set(row, column, cycle);
    else
      s_.router_wheel.set(row, column, cycle);
  }

  // Whether there is room for a push now; comes back when it will be known to be.
  bool has_room(const word_queue& q, int row, int column, std::uint32_t t) {
    if (q.is_full()) return false;  // the pop wakes us
    const std::uint32_t free_at = times_[q.slot_at(q.count)];
    if (free_at <= t) return true;
    s_.router_wheel.set(row, column, free_at);
    return false;
  }

  bool can_leave(const word_queue& q, int row, int column, std::uint32_t t) {
    if (q.transmit == 0) return false;  // the switch wakes us
    const std::uint32_t visible_at = q.head_time(times_);
    if (visible_at > t) {
      s_.router_wheel.set(row, column, visible_at);
      return false;
    }
    if ((q.next & word_queue::multicast) == 0) return has_room(queues_[q.next], row, column, t);
    const std::uint32_t* branch = branches_ + (q.next & ~word_queue::multicast);
    for (unsigned sides = q.transmit; sides != 0; sides &= sides - 1, ++branch)
      if ((*branch & sink_branch) == 0 && !has_room(queues_[*branch], row, column, t)) return false;
    return true;
  }

  // Nothing else leaves through this queue's sides: it sends as many words as surely can leave by now.
  void stream(int row, int column, std::uint32_t core, router_state& router, word_queue& q, std::uint32_t t) {
    constexpr std::uint32_t long_enough = 32;
    const std::uint32_t end = t + std::min(long_enough, s_.run_limit - t);
    const bool plain = !StoresWords && !merging_ && !leaves_fabric(q);
    while (t < end) {
      if (!can_leave(q, row, column, t)) return;
      if (plain) {
        t += send_many(router, q, t, end - t);
      } else {
        send(row, column, core, router, q, t++);
      }
      if (q.count == 0) return;
    }
    s_.router_wheel.set(row, column, end);
  }

  bool leaves_fabric(const word_queue& q) const {
    if ((q.next & word_queue::multicast) == 0) return false;
    const std::uint32_t* branch = branches_ + (q.next & ~word_queue::multicast);
    for (unsigned sides = q.transmit; sides != 0; sides &= sides - 1, ++branch)
      if ((*branch & sink_branch) != 0) return true;
    return false;
  }

  // The same as send for every cycle from t on, as long as nothing may have to wait; the number of words.
  std::uint32_t send_many(router_state& router, word_queue& q, std::uint32_t t, std::uint32_t most) {
    const bool is_multicast = (q.next & word_queue::multicast) != 0;
    const std::uint32_t* branch = is_multicast ? branches_ + (q.next & ~word_queue::multicast) : &q.next;
    unsigned branches = 0;
    for (unsigned sides = q.transmit; sides != 0; sides &= sides - 1)
      ++branches;
    std::uint32_t n = count_ready(q, t, 1, most);
    for (unsigned i = 0; i < branches; ++i)
      n = count_room(queues_[branch[i]], t, 1, n, 0);
    for (unsigned i = 0; i < branches; ++i)
      push_many(branch[i], t, 1, n);
    pop_many(router.base + q.slot, t, 1, n);
    if (q.count == 0) router.occupied &= ~(1u << q.slot);
    act(t + n - 1);
    return n;
  }

  void visit_several(int row, int column, router_state& router, std::uint32_t occupied, std::uint32_t t) {
    const std::uint32_t core = static_cast<std::uint32_t>(row) * columns_ + static_cast<std::uint32_t>(column);
    std::uint32_t ready = 0;
    unsigned used = 0;
    bool conflict = false;
    for (std::uint32_t rest = occupied; rest != 0; rest &= rest - 1) {
      const int slot = lowest_bit(rest);
      word_queue& q = queues_[router.base + static_cast<std::uint32_t>(slot)];
      if (q.has_own_sides) {
        stream(row, column, core, router, q, t);
        continue;
      }
      if (!can_leave(q, row, column, t)) continue;
      ready |= 1u << slot;
      conflict |= (used & q.transmit) != 0;
      used |= q.transmit;
    }
    std::uint32_t granted = ready;
    if (conflict) {
      granted = arbitrate(router, ready);
      if (granted != ready) s_.router_wheel.set(row, column, t + 1);
    }
    for (std::uint32_t rest = granted; rest != 0; rest &= rest - 1)
      send_and_return(row, column, core, router, queues_[router.base + static_cast<std::uint32_t>(lowest_bit(rest))],
                      t);
  }

  // The first of `wanting` behind the last winner, in slot order.
  static int next_turn(std::uint32_t wanting, unsigned last) {
    const std::uint32_t behind = last >= 31 ? 0 : wanting & ~((2u << last) - 1u);
    return lowest_bit(behind != 0 ? behind : wanting);
  }

  // Who of those that are ready leaves, when some of them want the same side; they had their turn.
  std::uint32_t arbitrate(router_state& router, std::uint32_t ready) const {
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
    for (std::uint32_t rest = granted; rest != 0; rest &= rest - 1)
      for (unsigned sides = transmit(router, lowest_bit(rest)); sides != 0; sides &= sides - 1)
        router.last_granted[static_cast<std::size_t>(lowest_bit(sides))] = static_cast<std::uint8_t>(lowest_bit(rest));
    return granted;
  }

  unsigned transmit(const router_state& router, int slot) const {
    return queues_[router.base + static_cast<std::uint32_t>(slot)].transmit;
  }

  void send_and_return(int row, int column, std::uint32_t core, router_state& router, word_queue& q, std::uint32_t t) {
    send(row, column, core, router, q, t);
    if (q.count == 0) return;
    const std::uint32_t next_at = q.head_time(times_);
    s_.router_wheel.set(row, column, next_at > t ? next_at : t + 1);
  }

  void send(int row, int column, std::uint32_t core, router_state& router, word_queue& q, std::uint32_t t) {
    const bool is_control = StoresWords && q.head_is_control(times_);
    const std::uint32_t word = pop(router.base + q.slot, q, t);
    if (q.count == 0) router.occupied &= ~(1u << q.slot);
    act(t);
    if (is_control) return send_control_word(row, column, core, q, control_word::from_bits(word), t);
    if ((q.next & word_queue::multicast) == 0) return push(q.next, word, false, t);
    send_to_branches(q, word, false, t);
  }

  void send_to_branches(const word_queue& q, std::uint32_t word, bool is_control, std::uint32_t t) {
    const std::uint32_t* branch = branches_ + (q.next & ~word_queue::multicast);
    for (unsigned sides = q.transmit; sides != 0; sides &= sides - 1, ++branch)
      if ((*branch & sink_branch) != 0)
        leave_fabric(*branch & ~sink_branch, word, is_control, t);
      else
        push(*branch, word, is_control, t);
  }

  void send_control_word(int row, int column, std::uint32_t core, const word_queue& q, control_word command,
                         std::uint32_t t) {
    if ((q.next & word_queue::multicast) == 0)
      push(q.next, command.popped().bits(), true, t);
    else
      send_to_branches(q, command.popped().bits(), true, t);
    if (command.first_command() == switch_command::advance) advance(row, column, core, q.color, t);
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
    const route& r = s_.code.routes[static_cast<std::size_t>(image.route_of_color[static_cast<std::size_t>(color)])];
    if (r.positions.size() == 1) return;
    for (const std::int8_t slot : image.router_slot[static_cast<std::size_t>(color)]) {
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
  void check_merge(std::uint32_t number, std::uint32_t arrival) {
    const word_queue& q = queues_[number];
    if (q.transmit == 0) return;
    const std::uint32_t core = q.reader_row * columns_ + q.reader_column;
    for (const std::int8_t slot : s_.image_of(core).router_slot[q.color]) {
      if (slot < 0 || slot == static_cast<int>(q.slot)) continue;
      const word_queue& other = queues_[routers_[core].base + static_cast<std::uint32_t>(slot)];
      if (other.transmit == 0) continue;
      for (unsigned n = 0; n < other.count; ++n)
        if ((times_[other.slot_at(n)] & ~word_queue::control) == arrival) report_merge(arrival, core, q.color);
    }
  }

  void report_merge(std::uint32_t arrival, std::uint32_t core, color_id color) {
    if (arrival > s_.violation_cycle || (arrival == s_.violation_cycle && core >= s_.violation_core)) return;
    s_.violation_cycle = arrival;
    s_.violation_core = core;
    s_.violation_color = color;
  }

  wavelet_state& s_;
  word_queue* queues_;
  std::uint32_t* times_;
  std::uint32_t* words_;
  router_state* routers_;
  const std::uint32_t* branches_;
  std::uint32_t columns_;
  bool merging_;
  std::uint32_t last_action_ = 0;
};

}  // namespace scribeline::fabric
