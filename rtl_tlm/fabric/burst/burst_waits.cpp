#include "rtl_tlm/fabric/burst/burst_waits.h"

#include <fmt/format.h>

#include "rtl_tlm/fabric/wait_search.h"

namespace scribeline::fabric {

burst_words stuck_words(const burst_queue& q) {
  if (q.side == burst_queue::unused_side) return 0;
  const burst_words waiting = static_cast<burst_words>(q.on_way) * one_word;
  if (q.leaving != 0 && (q.flags & burst_queue::has_hold) == 0) return waiting;
  return q.left + waiting;
}

namespace {

bool is_stuck(const burst_queue& q) {
  return stuck_words(q) > one_word / 2;
}

struct waiter {
  enum class kind : std::uint8_t {
    thread,   // index: thread; an operation that cannot take its next step
    blocked,  // index: queue; its head cannot leave
    starved,  // index: core; it gets no words of a color
  };
  kind what;
  std::uint32_t index;
  color_id color = 0;
  std::uint64_t key() const {
    return (std::uint64_t{static_cast<std::uint8_t>(what)} << 8 | static_cast<std::uint8_t>(color)) << 32 | index;
  }
};

using step_of_chain = wait_step<waiter>;

class burst_wait_finder {
 public:
  explicit burst_wait_finder(burst_state& s) : s_(s) {}

  void find(run_result& result) {
    wait_search<waiter>().find(
        starts(), [&](const waiter& at) { return explain(at); }, result);
  }

 private:
  std::vector<waiter> starts() {
    std::vector<waiter> found;
    for (std::uint32_t core = 0; core < s_.cores; ++core)
      s_.for_threads(core, [&](std::uint32_t i, const burst_thread& thread) {
        if (thread.state != burst_thread_state::unused) found.push_back({waiter::kind::thread, i});
      });
    for (std::uint32_t core = 0; core < s_.cores; ++core)
      s_.for_queues(core, [&](std::uint32_t i, const burst_queue& q) {
        if (is_stuck(q)) found.push_back({waiter::kind::blocked, i});
      });
    return found;
  }

  step_of_chain explain(const waiter& at) {
    switch (at.what) {
      case waiter::kind::thread:
        return explain_thread(at.index);
      case waiter::kind::blocked:
        return explain_blocked(at.index);
      case waiter::kind::starved:
        break;
    }
    return explain_starved(at.index, at.color);
  }

  step_of_chain explain_thread(std::uint32_t number) {
    const burst_thread& thread = s_.thread(number);
    const std::uint32_t core = s_.core_of_thread(number);
    const coordinate where = s_.layout.place_of(core);
    const burst_class& image = s_.class_of(core);
    const burst_task& task = image.tasks[thread.task];
    const burst_operation& o = task.operations[thread.at];
    for (std::size_t i = 0; i < o.inputs; ++i) {
      const color_id color = o.in[i];
      const std::uint32_t queue = s_.find_queue(core, color, burst_queue::inbox_side);
      if (queue != no_index && is_stuck(s_.queue(queue))) continue;
      const std::int64_t elements = std::int64_t{thread.left / one_word} * o.elements;
      return {
          {where, color,
           fmt::format("task \"{}\" waits for data of color {}, {} elements to go", task.code->name, color, elements)},
          waiter{waiter::kind::starved, core, color}};
    }
    if (o.out != burst_operation::no_color && thread.out < s_.queue_numbers())
      return {{where, o.out,
               fmt::format("task \"{}\" waits for room in its output queue of color {}", task.code->name, o.out)},
              waiter{waiter::kind::blocked, thread.out}};
    return {{where, 0, fmt::format("task \"{}\" has not ended", task.code->name)}, std::nullopt};
  }

  step_of_chain explain_blocked(std::uint32_t number) {
    const burst_queue& q = s_.queue(number);
    const std::uint32_t core = s_.core_of_queue(number);
    const coordinate where = s_.layout.place_of(core);
    const color_id color = q.color;
    if (q.is_inbox()) return explain_unread(number, q, core);
    const std::string from = to_string(static_cast<port>(q.side));
    const burst_rule& rule = s_.rule_of(core, q);
    const route_position& now = rule.r->positions[s_.switch_position(core, rule)];
    if (!now.receive.contains(static_cast<port>(q.side)))
      return {{where, color,
               fmt::format("a word of color {} from the {} waits for the switch, which receives from elsewhere", color,
                           from)},
              std::nullopt};
    for (int i = 0; i < ports; ++i) {
      const port side = static_cast<port>(i);
      if (!now.transmit.contains(side)) continue;
      const std::uint32_t target = queue_behind(where, side, color);
      if (target == no_index || !is_stuck(s_.queue(target))) continue;
      const std::string to = side == port::ramp ? "ramp to its core" : to_string(side) + " neighbour";
      return {{where, color, fmt::format("a word of color {} from the {} waits for room at the {}", color, from, to)},
              waiter{waiter::kind::blocked, target}};
    }
    return {{where, color, fmt::format("a word of color {} from the {} has not left", color, from)}, std::nullopt};
  }

  std::uint32_t queue_behind(coordinate at, port side, color_id color) {
    burst_pipe_end end{burst_pipe_end::kind::inbox, at, side, 0};
    if (side != port::ramp) {
      const coordinate next = neighbour(at, side);
      if (!s_.layout.inside(next)) return no_index;
      end = s_.layout.follow(next, opposite(side), color, 1);
    }
    if (end.what == burst_pipe_end::kind::sink) return no_index;
    const bool inbox = end.what == burst_pipe_end::kind::inbox;
    return s_.find_queue(s_.layout.core_of(end.where), color,
                         inbox ? burst_queue::inbox_side : static_cast<std::uint8_t>(index(end.side)));
  }

  step_of_chain explain_unread(std::uint32_t, const burst_queue& q, std::uint32_t core) {
    const coordinate where = s_.layout.place_of(core);
    const color_id color = q.color;
    if (q.child != no_index)
      return {{where, color, fmt::format("words of color {} wait for the operation that reads them", color)},
              waiter{waiter::kind::thread, q.child}};
    if (const std::uint32_t busy = any_thread(core); busy != no_index)
      return {{where, color, fmt::format("words of color {} wait behind what the core does now", color)},
              waiter{waiter::kind::thread, busy}};
    return {{where, color,
             fmt::format("{} words of color {} that nobody reads", (stuck_words(q) + one_word / 2) / one_word, color)},
            std::nullopt};
  }

  std::uint32_t any_thread(std::uint32_t core) {
    std::uint32_t found = no_index;
    s_.for_threads(core, [&](std::uint32_t i, const burst_thread& thread) {
      if (found == no_index && thread.state != burst_thread_state::unused) found = i;
    });
    return found;
  }

  // A core gets no words of a color: upstream to where some are held up, or to the core that should send them.
  step_of_chain explain_starved(std::uint32_t core, color_id color) {
    coordinate at = s_.layout.place_of(core);
    port out = port::ramp;
    for (std::int64_t steps = 0; steps <= s_.cores; ++steps) {
      const burst_rule& rule = s_.layout.class_of(at).rules[static_cast<std::size_t>(color)];
      if (rule.r == nullptr) break;
      const route_position& now = rule.r->positions[s_.switch_position(s_.layout.core_of(at), rule)];
      if (!now.transmit.contains(out))
        return {{at, color, fmt::format("color {} is not switched towards the {}", color, to_string(out))},
                std::nullopt};
      for (int i = 0; i < ports; ++i) {
        if (!now.receive.contains(static_cast<port>(i))) continue;
        const std::uint32_t queue = s_.find_queue(s_.layout.core_of(at), color, static_cast<std::uint8_t>(i));
        if (queue != no_index && is_stuck(s_.queue(queue)))
          return {{at, color, fmt::format("words of color {} are held up", color)},
                  waiter{waiter::kind::blocked, queue}};
      }
      if (now.receive.contains(port::ramp)) return explain_silent_core(at, color);
      port from = port::north;
      for (int i = 0; i < link_ports; ++i)
        if (now.receive.contains(static_cast<port>(i))) from = static_cast<port>(i);
      const coordinate before = neighbour(at, from);
      if (!s_.layout.inside(before)) break;
      at = before;
      out = opposite(from);
    }
    return {{at, color, fmt::format("nothing more of color {} enters from outside", color)}, std::nullopt};
  }

  step_of_chain explain_silent_core(coordinate at, color_id color) {
    const std::uint32_t core = s_.layout.core_of(at);
    const burst_class& image = s_.layout.class_of(at);
    std::uint32_t sender = no_index;
    s_.for_threads(core, [&](std::uint32_t i, const burst_thread& thread) {
      if (thread.state == burst_thread_state::unused) return;
      if (image.tasks[thread.task].operations[thread.at].out == color) sender = i;
    });
    if (sender != no_index)
      return {{at, color, fmt::format("the operation that sends color {} waits itself", color)},
              waiter{waiter::kind::thread, sender}};
    if (const std::uint32_t busy = any_thread(core); busy != no_index)
      return {{at, color, fmt::format("the core has not come to sending color {}", color)},
              waiter{waiter::kind::thread, busy}};
    return {{at, color, fmt::format("the core sends no more words of color {}", color)}, std::nullopt};
  }

  burst_state& s_;
};

}  // namespace

bool nothing_left(burst_state& s) {
  for (std::uint32_t core = 0; core < s.cores; ++core) {
    bool left = s.blocks[core].main != burst_main::idle;
    s.for_threads(
        core, [&](std::uint32_t, const burst_thread& thread) { left |= thread.state != burst_thread_state::unused; });
    s.for_queues(core, [&](std::uint32_t, const burst_queue& q) { left |= is_stuck(q); });
    if (left) return false;
  }
  for (const burst_source& source : s.sources)
    if (source.words > 0 || (source.left >= one_word && source.rate == 0)) return false;
  return true;
}

void find_waits(burst_state& s, run_result& result) {
  burst_wait_finder(s).find(result);
}

}  // namespace scribeline::fabric
