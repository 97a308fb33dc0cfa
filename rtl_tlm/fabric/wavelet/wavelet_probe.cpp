#include "rtl_tlm/fabric/wavelet/wavelet_probe.h"

#include <fmt/format.h>

#include <stdexcept>

#include "rtl_tlm/fabric/wavelet/wavelet_state.h"

namespace scribeline::fabric {
namespace {

constexpr const char* nothing = ".";

class prober {
 public:
  prober(const wavelet_engine& engine, coordinate where)
      : s_(engine.state()),
        t_(static_cast<std::uint32_t>(engine.now().value())),
        number_(s_.layout.core_of(where)),
        core_(s_.cores[number_]) {}

  core_view look() const {
    core_view view;
    count_words(view);
    view.task = task();
    view.stall = stall(view.steps);
    view.router_stall = router_stall();
    return view;
  }

 private:
  const std::uint32_t* times() const { return s_.slot_times.data(); }

  int visible_words(const word_queue& q) const {
    int n = 0;
    while (n < q.count && (times()[q.slot_at(static_cast<unsigned>(n))] & ~word_queue::control) <= t_)
      ++n;
    return n;
  }

  template <class Visit>
  void for_queues(Visit&& visit) const {
    for (std::uint32_t i = s_.layout.queue_base[number_]; i < s_.layout.queue_base[number_ + 1]; ++i)
      visit(s_.queues[i]);
  }

  void count_words(core_view& view) const {
    for_queues([&](const word_queue& q) {
      int& words = q.side == queue_side::core_input ? view.to_core : view.queued[static_cast<std::size_t>(q.side)];
      words += visible_words(q);
    });
  }

  // The main thread's, else that of the first operation on a microthread.
  std::string task() const {
    if (core_.main != main_state::idle) return s_.code.tasks[s_.tasks[number_].task].name;
    if (core_.threads == 0) return "idle";
    const vector_op* op = s_.threads[core_.first_thread + static_cast<std::uint32_t>(lowest_bit(core_.threads))].op;
    for (const class_task& t : s_.layout.images[core_.image].tasks)
      for (const instruction& i : s_.code.tasks[t.index].body)
        if (std::get_if<vector_op>(&i) == op) return s_.code.tasks[t.index].name;
    return "idle";
  }

  // Why a vector operation cannot take a step in this cycle; empty when it can or is in one.
  std::string cause(const thread_state& thread, bool is_microthread) const {
    if (thread.ready_at > t_) return thread.ready_at > t_ + thread.step_cycles ? "set-up" : "";
    for (const std::uint32_t in : {thread.in_a, thread.in_b})
      if (in != no_queue && !s_.queues[in].has_visible(times(), t_))
        return fmt::format("no data of color {}", color_id{s_.queues[in].color});
    if (thread.out == no_queue) return "";
    const word_queue& out = s_.queues[thread.out];
    const std::string no_room = fmt::format("no room for color {}", color_id{out.color});
    if (out.is_full()) return no_room;
    const std::uint32_t free_at = times()[out.slot_at(out.count)];
    const auto wake = static_cast<std::uint32_t>(is_microthread ? s_.chip.core.microthread_wake_cycles : 0);
    return free_at != 0 && free_at + wake > t_ ? no_room : "";
  }

  std::string stall(bool& steps) const {
    const std::uint32_t running = core_.threads & ~std::uint32_t{core_.completing};
    std::string causes;
    for (std::uint32_t rest = running; rest != 0; rest &= rest - 1) {
      const int slot = lowest_bit(rest);
      const thread_state& thread = s_.threads[core_.first_thread + static_cast<std::uint32_t>(slot)];
      const std::string why = cause(thread, slot != 0);
      if (why.empty() && (thread.ready_at <= t_ || thread.kind == thread_kind::local || thread.step_cycles > 1))
        steps = true;
      if (!why.empty()) causes += (causes.empty() ? "" : ", ") + why;
    }
    if (steps || core_.main == main_state::busy) return nothing;
    if (core_.main == main_state::wait_thread) causes += causes.empty() ? "microthread busy" : ", microthread busy";
    if (!causes.empty()) return causes;
    if (core_.completing != 0) return "completion";
    return running != 0 ? nothing : "idle";
  }

  bool has_room(const word_queue& q) const { return !q.is_full() && times()[q.slot_at(q.count)] <= t_; }

  bool has_room_everywhere(const word_queue& q) const {
    if ((q.next & word_queue::multicast) == 0) return has_room(s_.queues[q.next]);
    const std::uint32_t* branch = &s_.layout.branches[q.next & ~word_queue::multicast];
    for (unsigned sides = q.transmit; sides != 0; sides &= sides - 1, ++branch)
      if ((*branch & sink_branch) == 0 && !has_room(s_.queues[*branch])) return false;
    return true;
  }

  std::string router_stall() const {
    std::string first = nothing;
    for_queues([&](const word_queue& q) {
      if (first != nothing || q.side == queue_side::core_input || !q.has_visible(times(), t_)) return;
      const char* why = q.transmit == 0 ? "switched elsewhere" : has_room_everywhere(q) ? nullptr : "no room";
      if (why != nullptr)
        first = fmt::format("color {} from {}: {}", color_id{q.color}, to_string(static_cast<port>(q.side)), why);
    });
    return first;
  }

  const wavelet_state& s_;
  std::uint32_t t_;
  std::uint32_t number_;
  const core_state& core_;
};

}  // namespace

core_view look_at(const wavelet_engine& engine, coordinate core) {
  const program& p = engine.state().code;
  if (core.column < 0 || core.row < 0 || core.column >= p.columns || core.row >= p.rows)
    throw std::out_of_range(
        fmt::format("{} of a program with {} columns and {} rows", to_string(core), p.columns, p.rows));
  return prober(engine, core).look();
}

}  // namespace scribeline::fabric
