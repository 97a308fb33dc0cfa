// The router of one core in one cycle: which heads leave, and through which sides.
//
// A head may leave when its switch position serves its queue and every queue it goes to has room. Heads that want one
// side take turns (side_turns.h).
#pragma once

#include "rtl_tlm/fabric/wavelet/side_turns.h"
#include "rtl_tlm/fabric/wavelet/word_transfer.h"

namespace scribeline::fabric {

template <bool StoresWords>
class wavelet_router {
 public:
  wavelet_router(wavelet_state& s, word_transfer<StoresWords>& transfer)
      : s_(s),
        transfer_(transfer),
        queues_(s.queues.data()),
        times_(s.slot_times.data()),
        routers_(s.routers.data()),
        branches_(s.layout.branches.data()),
        rivals_(s.layout.rivals.data()),
        link_cycles_(static_cast<std::uint32_t>(
            std::min(s.chip.hop_cycles, s.chip.core.execute_cycles + s.chip.ramp_send_cycles))) {}

  void visit(std::uint32_t core, std::uint32_t t) {
    router_state& router = routers_[core];
    here at{core, t, never};
    side_turns turns;
    const slot_rivals* rivals = rivals_ + router.first_rivals;
    const std::uint32_t occupied = router.occupied;
    for (std::uint32_t rest = occupied; rest != 0; rest &= rest - 1) {
      const int slot = lowest_bit(rest);
      const std::uint32_t number = router.base + static_cast<std::uint32_t>(slot);
      word_queue& q = queues_[number];
      if ((rivals[slot].slots & occupied) == 0)
        stream(router, number, q, rivals[slot], at);
      else if (can_leave(number, q, at.t, at))
        turns.add(slot, q.transmit);
    }
    if (turns.ready() != 0) {
      const std::uint32_t granted = turns.grant(router);
      if (granted != turns.ready()) at.look_again(t + 1);
      for (std::uint32_t rest = granted; rest != 0; rest &= rest - 1) {
        const std::uint32_t number = router.base + static_cast<std::uint32_t>(lowest_bit(rest));
        word_queue& q = queues_[number];
        send(router, number, q, t, at);
        if (q.count != 0) at.look_again(std::max(t + 1, q.head_time(times_)));
      }
    }
    if (at.again != never) s_.router_wheel.set(core, at.again);
  }

 private:
  static constexpr std::uint32_t never = 0xffffffffu;
  static constexpr std::uint32_t longest_stream = 32;

  // A visit.
  struct here {
    std::uint32_t core;
    std::uint32_t t;
    std::uint32_t again;  // the next visit

    void look_again(std::uint32_t cycle) { again = again < cycle ? again : cycle; }
  };

  // Whether there is room for a push. Of a full queue, the next pop wakes us.
  bool has_room(word_queue& q, std::uint32_t t, here& at) const {
    if (q.is_full()) {
      q.writer_waits = 1;
      return false;
    }
    const std::uint32_t free_at = times_[q.slot_at(q.count)];
    if (free_at <= t) return true;
    at.look_again(free_at);
    return false;
  }

  bool can_leave(std::uint32_t number, const word_queue& q, std::uint32_t t, here& at) const {
    if (q.transmit == 0) return false;  // the switch wakes us
    std::uint32_t possible_at = q.head_time(times_);
    if (q.is_switched) possible_at = std::max(possible_at, s_.layout.served_from[number]);
    if (possible_at > t) {
      at.look_again(possible_at);
      return false;
    }
    if ((q.next & word_queue::multicast) == 0) return has_room(queues_[q.next], t, at);
    const std::uint32_t* branch = branches_ + (q.next & ~word_queue::multicast);
    for (unsigned sides = q.transmit; sides != 0; sides &= sides - 1, ++branch)
      if ((*branch & sink_branch) == 0 && !has_room(queues_[*branch], t, at)) return false;
    return true;
  }

  // For how many cycles surely nothing else leaves through a queue's sides, when its rivals have no words now.
  std::uint32_t undisturbed_cycles(const word_queue& q, const slot_rivals& rivals, const here& at) const {
    std::uint32_t cycles = std::min(longest_stream, s_.run_limit - at.t);
    if (rivals.slots == 0) return cycles;
    cycles = std::min(cycles, (rivals.colors & s_.colors.busy()) != 0 ? link_cycles_ : s_.quiet_cycles);
    // Words that waited for a turn would leave ahead of the clock: what comes meanwhile must not overtake that.
    const std::uint32_t last = times_[q.slot_at(q.count - 1u)] & ~word_queue::control;
    return last < at.t + q.count - 1 ? std::min(cycles, link_cycles_) : cycles;
  }

  // Nothing else leaves through this queue's sides: it sends as many words as surely can leave by now.
  void stream(router_state& router, std::uint32_t number, word_queue& q, const slot_rivals& rivals, here& at) {
    const std::uint32_t end = at.t + undisturbed_cycles(q, rivals, at);
    std::uint32_t t = at.t;
    while (q.count != 0) {
      if (t == end) {
        at.look_again(end);
        break;
      }
      if (!can_leave(number, q, t, at)) break;
      if (can_run(q)) {
        t += send_many(router, number, q, t, end);
      } else {
        send(router, number, q, t, at);
        ++t;
      }
      // A backlog that a switch has let go leaves ahead of the clock: what comes meanwhile has to follow it.
      if (q.is_switched) s_.layout.served_from[number] = t;
    }
    if (rivals.slots != 0 && q.count != 0) transfer_.delay_head(q, t);
  }

  // Whether the head is a data word that stays in the fabric.
  bool can_run(const word_queue& q) const { return !q.leaves_fabric && !(StoresWords && q.head_is_control(times_)); }

  // The same as send for every cycle from t on, as long as nothing has to wait. The first word can leave now.
  std::uint32_t send_many(router_state& router, std::uint32_t number, word_queue& q, std::uint32_t t,
                          std::uint32_t end) {
    const bool is_multicast = (q.next & word_queue::multicast) != 0;
    const std::uint32_t* branch = is_multicast ? branches_ + (q.next & ~word_queue::multicast) : &q.next;
    run_limits limits;
    limits.end = end;
    limits.most = longest_stream;
    const int sides = is_multicast ? __builtin_popcount(q.transmit) : 1;
    const word_run run = send_to(sides, number, branch, t, limits);
    if (sides > 1) s_.colors.add_words(q.color, std::int64_t{run.words} * (sides - 1));
    if (q.count == 0) router.occupied &= ~(1u << q.slot);
    return run.words;
  }
  word_run send_to(int sides, std::uint32_t number, const std::uint32_t* branch, std::uint32_t t,
                   const run_limits& limits) {
    switch (sides) {
      case 1:
        return transfer_.template move_words<1, 1>(&number, branch, t, limits, room_at_once{});
      case 2:
        return transfer_.template move_words<1, 2>(&number, branch, t, limits, room_at_once{});
      case 3:
        return transfer_.template move_words<1, 3>(&number, branch, t, limits, room_at_once{});
      case 4:
        return transfer_.template move_words<1, 4>(&number, branch, t, limits, room_at_once{});
      default:
        return transfer_.template move_words<1, 5>(&number, branch, t, limits, room_at_once{});
    }
  }

  void send(router_state& router, std::uint32_t number, word_queue& q, std::uint32_t t, here& at) {
    const bool is_control = StoresWords && q.head_is_control(times_);
    const std::uint32_t word = transfer_.pop(number, q, t);
    if (q.count == 0) router.occupied &= ~(1u << q.slot);
    transfer_.act(t);
    if (is_control) return send_control_word(q, control_word::from_bits(word), t, at);
    if ((q.next & word_queue::multicast) == 0) return transfer_.push(q.next, word, false, t);
    send_to_branches(q, word, false, t);
  }

  void send_to_branches(const word_queue& q, std::uint32_t word, bool is_control, std::uint32_t t) {
    const std::uint32_t* branch = branches_ + (q.next & ~word_queue::multicast);
    s_.colors.add_words(q.color, __builtin_popcount(q.transmit) - 1);
    for (unsigned sides = q.transmit; sides != 0; sides &= sides - 1, ++branch)
      if ((*branch & sink_branch) != 0)
        leave_fabric(*branch & ~sink_branch, word, is_control, t);
      else
        transfer_.push(*branch, word, is_control, t);
  }

  void send_control_word(const word_queue& q, control_word command, std::uint32_t t, here& at) {
    if ((q.next & word_queue::multicast) == 0)
      transfer_.push(q.next, command.popped().bits(), true, t);
    else
      send_to_branches(q, command.popped().bits(), true, t);
    if (q.is_switched && command.first_command() == switch_command::advance) advance(q.color, t + 1, at);
  }

  void leave_fabric(std::uint32_t number, std::uint32_t word, bool is_control, std::uint32_t t) {
    sink_record& sink = s_.sinks[number];
    s_.colors.remove_words(static_cast<unsigned>(s_.layout.sinks[number].color), 1);
    if (is_control) return;
    if (sink.words++ == 0) sink.first_cycle = t;
    sink.last_cycle = t;
    if (s_.options.values) sink.values.push_back(word);
  }

  // The router's route of a color goes to its next position, in effect from a cycle on.
  void advance(color_id color, std::uint32_t from, here& at) {
    const class_image& image = s_.image_of(at.core);
    const route& r = s_.code.routes[static_cast<std::size_t>(image.route_of_color[static_cast<std::size_t>(color)])];
    for (const std::int8_t slot : image.router_slot[static_cast<std::size_t>(color)]) {
      if (slot < 0) continue;
      const std::uint32_t number = routers_[at.core].base + static_cast<std::uint32_t>(slot);
      std::uint8_t& position = s_.layout.position_of_queue[number];
      if (position + 1u < r.positions.size())
        ++position;
      else if (r.ring)
        position = 0;
      const queue_exit& now = s_.layout.exits[s_.layout.switch_of_queue[number]][position];
      queues_[number].next = now.next;
      queues_[number].transmit = now.transmit;
      s_.layout.served_from[number] = from;
    }
    at.look_again(from);
  }

  wavelet_state& s_;
  word_transfer<StoresWords>& transfer_;
  word_queue* queues_;
  const std::uint32_t* times_;
  router_state* routers_;
  const std::uint32_t* branches_;
  const slot_rivals* rivals_;
  std::uint32_t link_cycles_;  // the shortest latency of a router queue
};

}  // namespace scribeline::fabric
