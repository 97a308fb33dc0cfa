#include "rtl_tlm/fabric/wavelet/wait_chain.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtl_tlm/fabric/wait_search.h"

namespace scribeline::fabric {
namespace {

enum class waiter_kind : std::uint8_t {
  thread,   // index: thread; an operation that cannot take its next step
  blocked,  // index: queue; its head cannot leave
  starved,  // index: queue; it gets no words
};

struct waiter {
  waiter_kind kind;
  std::uint32_t index;
  std::uint64_t key() const { return std::uint64_t{static_cast<std::uint8_t>(kind)} << 32 | index; }
};

using step_of_chain = wait_step<waiter>;

class wait_finder {
 public:
  explicit wait_finder(const wavelet_state& s) : s_(s) {}

  void find(run_result& result) const {
    wait_search<waiter>().find(
        starts(), [&](const waiter& at) { return explain(at); }, result);
  }

 private:
  // The core (or its router) that reads a queue.
  std::uint32_t core_of_queue(std::uint32_t queue) const { return s_.queues[queue].reader; }
  std::uint32_t core_of_thread(std::uint32_t thread) const {
    const auto& base = s_.layout.thread_base;
    return static_cast<std::uint32_t>(std::upper_bound(base.begin(), base.end(), thread) - base.begin() - 1);
  }
  coordinate place_of_queue(std::uint32_t queue) const { return s_.place_of(core_of_queue(queue)); }

  std::vector<waiter> starts() const {
    std::vector<waiter> found;
    for (std::uint32_t core = 0; core < s_.cores.size(); ++core)
      for (std::uint32_t rest = s_.cores[core].threads; rest != 0; rest &= rest - 1)
        found.push_back(
            {waiter_kind::thread, s_.cores[core].first_thread + static_cast<std::uint32_t>(lowest_bit(rest))});
    for (std::uint32_t queue = 0; queue < s_.queues.size(); ++queue)
      if (s_.queues[queue].count != 0) found.push_back({waiter_kind::blocked, queue});
    for (const edge_source& source : s_.sources)
      if (source.remaining != 0) found.push_back({waiter_kind::blocked, source.queue});
    return found;
  }

  step_of_chain explain(const waiter& at) const {
    switch (at.kind) {
      case waiter_kind::thread:
        return explain_thread(at.index);
      case waiter_kind::blocked:
        return explain_blocked(at.index);
      case waiter_kind::starved:
        break;
    }
    return explain_starved(at.index);
  }

  step_of_chain explain_thread(std::uint32_t number) const {
    const thread_state& thread = s_.threads[number];
    const std::uint32_t core = core_of_thread(number);
    const coordinate where = s_.place_of(core);
    const std::string task = s_.code.tasks[s_.tasks[core].task].name;
    for (const std::uint32_t in : {thread.in_a, thread.in_b})
      if (in != no_queue && s_.queues[in].count == 0) {
        const word_queue& q = s_.queues[in];
        return {
            {where, q.color,
             fmt::format("task \"{}\" waits for data of color {}, {} elements to go", task, q.color, thread.remaining)},
            waiter{waiter_kind::starved, in}};
      }
    if (thread.out != no_queue && s_.queues[thread.out].is_full()) {
      const word_queue& q = s_.queues[thread.out];
      return {
          {where, q.color, fmt::format("task \"{}\" waits for room in its output queue of color {}", task, q.color)},
          waiter{waiter_kind::blocked, thread.out}};
    }
    return {{where, 0, fmt::format("task \"{}\" has not ended", task)}, std::nullopt};
  }

  step_of_chain explain_blocked(std::uint32_t number) const {
    const word_queue& q = s_.queues[number];
    const coordinate where = place_of_queue(number);
    if (q.side == queue_side::core_input) return explain_unread(number);
    const std::string from = to_string(static_cast<port>(q.side));
    if (q.transmit == 0)
      return {{where, q.color,
               fmt::format("a word of color {} from the {} waits for the switch, which receives from elsewhere",
                           q.color, from)},
              std::nullopt};
    const std::uint32_t target = full_target(q);
    if (target == no_queue)
      return {{where, q.color, fmt::format("a word of color {} from the {} has not left", q.color, from)},
              std::nullopt};
    const word_queue& to = s_.queues[target];
    const std::string side = to.side == queue_side::core_input
                                 ? "ramp to its core"
                                 : to_string(opposite(static_cast<port>(to.side))) + " neighbour";
    return {
        {where, q.color, fmt::format("a word of color {} from the {} waits for room at the {}", q.color, from, side)},
        waiter{waiter_kind::blocked, target}};
  }

  std::uint32_t full_target(const word_queue& q) const {
    if ((q.next & word_queue::multicast) == 0) return s_.queues[q.next].is_full() ? q.next : no_queue;
    const std::uint32_t* branch = &s_.layout.branches[q.next & ~word_queue::multicast];
    for (unsigned sides = q.transmit; sides != 0; sides &= sides - 1, ++branch)
      if ((*branch & sink_branch) == 0 && s_.queues[*branch].is_full()) return *branch;
    return no_queue;
  }

  step_of_chain explain_unread(std::uint32_t number) const {
    const word_queue& q = s_.queues[number];
    const std::uint32_t core = core_of_queue(number);
    const coordinate where = s_.place_of(core);
    const core_state& state = s_.cores[core];
    for (std::uint32_t rest = state.threads; rest != 0; rest &= rest - 1) {
      const std::uint32_t thread = state.first_thread + static_cast<std::uint32_t>(lowest_bit(rest));
      if (s_.threads[thread].in_a == number || s_.threads[thread].in_b == number)
        return {{where, q.color, fmt::format("words of color {} wait for the operation that reads them", q.color)},
                waiter{waiter_kind::thread, thread}};
    }
    // The main thread could get to it, if it were not waiting itself.
    for (std::uint32_t rest = state.threads; rest != 0; rest &= rest - 1)
      return {{where, q.color, fmt::format("words of color {} wait behind what the core does now", q.color)},
              waiter{waiter_kind::thread, state.first_thread + static_cast<std::uint32_t>(lowest_bit(rest))}};
    return {{where, q.color, fmt::format("{} words of color {} that nobody reads", q.count, q.color)}, std::nullopt};
  }

  step_of_chain explain_starved(std::uint32_t number) const {
    const word_queue& q = s_.queues[number];
    const std::uint32_t core = core_of_queue(number);
    const coordinate where = s_.place_of(core);
    if (q.side == queue_side::ramp) return explain_silent_core(number, core);
    const bool to_core = q.side == queue_side::core_input;
    const coordinate from = to_core ? where : neighbour(where, static_cast<port>(q.side));
    if (from.column < 0 || from.row < 0 || from.column >= s_.layout.columns || from.row >= s_.layout.rows)
      return {{where, q.color, fmt::format("nothing more of color {} enters from outside", q.color)}, std::nullopt};
    const port side = to_core ? port::ramp : opposite(static_cast<port>(q.side));
    const std::uint32_t upstream = feeding_queue(from, q.color, side);
    if (upstream == no_queue)
      return {{from, q.color, fmt::format("color {} is not switched towards the {}", q.color, to_string(side))},
              std::nullopt};
    const word_queue& feeder = s_.queues[upstream];
    const bool has_words = feeder.count != 0;
    return {{from, q.color,
             has_words ? fmt::format("words of color {} are held up", q.color)
                       : fmt::format("color {} has no words from the {}", q.color,
                                     to_string(static_cast<port>(feeder.side)))},
            waiter{has_words ? waiter_kind::blocked : waiter_kind::starved, upstream},
            !has_words};
  }

  // The queue of a router that sends a color through a side: one that has words if possible.
  std::uint32_t feeding_queue(coordinate at, color_id color, port side) const {
    const std::uint32_t core = s_.layout.core_of(at);
    std::uint32_t found = no_queue;
    for (const std::int8_t slot : s_.image_of(core).router_slot[color]) {
      if (slot < 0) continue;
      const std::uint32_t number = s_.routers[core].base + static_cast<std::uint32_t>(slot);
      if ((s_.queues[number].transmit >> index(side) & 1) == 0) continue;
      if (s_.queues[number].count != 0) return number;
      found = number;
    }
    return found;
  }

  step_of_chain explain_silent_core(std::uint32_t number, std::uint32_t core) const {
    const word_queue& q = s_.queues[number];
    const core_state& state = s_.cores[core];
    for (std::uint32_t rest = state.threads; rest != 0; rest &= rest - 1) {
      const std::uint32_t thread = state.first_thread + static_cast<std::uint32_t>(lowest_bit(rest));
      if (s_.threads[thread].out == s_.layout.merged_into[number])
        return {{s_.place_of(core), q.color, fmt::format("the operation that sends color {} waits itself", q.color)},
                waiter{waiter_kind::thread, thread}};
    }
    if (state.threads != 0)
      return {{s_.place_of(core), q.color, fmt::format("the core has not come to sending color {}", q.color)},
              waiter{waiter_kind::thread, state.first_thread + static_cast<std::uint32_t>(lowest_bit(state.threads))}};
    return {{s_.place_of(core), q.color, fmt::format("the core sends no more words of color {}", q.color)},
            std::nullopt};
  }

  const wavelet_state& s_;
};

}  // namespace

void find_waits(const wavelet_state& s, run_result& result) {
  wait_finder(s).find(result);
}

}  // namespace scribeline::fabric
