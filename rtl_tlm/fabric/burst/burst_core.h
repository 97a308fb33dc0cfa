// Cores of a burst run: vector operations that turn streams into streams, and the main threads that start them.
//
// A main thread runs ahead of the clock as far as nothing that happens meanwhile can matter to it: until it waits, ends
// its task or blocks tasks.
#pragma once

#include <array>

#include "rtl_tlm/fabric/burst/burst_streams.h"

namespace scribeline::fabric {

class burst_core {
 public:
  burst_core(burst_state& s, burst_streams& streams) : s_(s), streams_(streams) {}

  // The first tasks, in cycle 0.
  void start(std::uint32_t core);

  // Lets the operation that waits for an arrival begin with it; false when something else goes on at the core.
  bool run_ahead(const burst_arrival& a, burst_time now);

  // Events.
  void inbox_changed(std::uint32_t queue, burst_time now);
  void thread_wake(std::uint32_t thread, burst_time now);
  void room_changed(std::uint32_t thread, burst_time now);
  void resume(std::uint32_t core, burst_time now);
  void dispatch(std::uint32_t core, burst_time now);

 private:
  // --- operations (burst_core.cpp) ---
  // An inbox as its reader sees it.
  struct input {
    std::uint32_t number;  // no_index: nothing has come
    burst_queue* queue;
    burst_words open;      // words it may have
    burst_words arriving;  // of these, still to come
  };
  // An operation that is looked at. No default values: there are arrays of it in hot places.
  struct runner {
    std::uint32_t number;
    burst_thread* thread;
    const burst_operation* operation;
    std::array<input, 2> in;
    std::size_t inputs;
    burst_rate demand;
    burst_rate granted;
    const input* begin() const { return in.data(); }
    const input* end() const { return in.data() + inputs; }
  };
  static constexpr std::size_t max_threads = 16;

  static const burst_operation& operation_of(const burst_site& site, const burst_thread& thread) {
    return site.image->tasks[thread.task].operations[thread.at];
  }
  void evaluate(const burst_site& site, burst_time now);
  bool begins_later(const burst_site& site, std::uint32_t number, burst_thread& thread, burst_time now);
  void make_runner(runner& r, const burst_site& site, std::uint32_t number, burst_thread& thread, burst_time now);
  void view(input& in, burst_time now) const;
  void take_controls(const burst_site& site, runner* first, std::size_t count, burst_time now);
  static void take_last_word(runner& r, burst_time now);
  static burst_rate input_rate(const input& in);
  burst_rate demand(const runner& r, burst_time now);
  static void share(runner* first, std::size_t count);
  void apply(const burst_site& site, const runner& r, burst_time now);
  static burst_time next_change(const runner& r, burst_time now);
  void schedule(std::uint32_t number, burst_thread& thread, burst_time at);
  bool has_input(const burst_site& site, const burst_thread& thread);

  // --- ends of operations (burst_core.cpp) ---
  static bool is_done(const runner& r, burst_time now);
  static bool has_words(const runner& r, burst_words words);
  void finish(const burst_site& site, const runner& r, burst_time now);
  void end_operation(const burst_site& site, std::uint32_t number, burst_thread& thread, burst_time end);
  bool complete_ahead(const burst_site& site, burst_thread& thread, burst_time at);
  void complete(const burst_site& site, burst_thread& thread, burst_time now);
  void send_control_word(const burst_site& site, const runner& r, burst_time now);
  bool run_alone(const burst_site& site, const runner& r, burst_time now);
  int live_threads(std::uint32_t core);

  // --- main thread (burst_main.cpp) ---
  struct main_thread {
    const burst_site& site;
    burst_block& block;
    burst_time now;    // of the event
    burst_time ahead;  // where the thread is
    const burst_task& task() const { return site.image->tasks[block.task]; }
  };
  void run(main_thread& m);
  void go_on(const burst_site& site, burst_time at);
  // These are true when the thread goes on at once.
  bool execute(main_thread& m, const scalar_work& i);
  bool execute(main_thread& m, const activate_task& i);
  bool execute(main_thread& m, const block_task& i);
  bool execute(main_thread& m, const unblock_task& i);
  bool execute(main_thread& m, const timestamp& i);
  bool execute(main_thread& m, const begin_loop& i);
  bool execute(main_thread& m, const end_loop& i);
  bool execute(main_thread& m, const send_control& i);
  bool execute(main_thread& m, const vector_op& v);
  bool wait_for_the_clock(main_thread& m);
  burst_thread& new_thread(const main_thread& m, burst_operation_kind kind, std::uint32_t& number);
  void set_steps(const main_thread& m, const burst_operation& o, std::int64_t length, burst_thread& thread) const;
  void end_task(main_thread& m);
  bool take_trigger(const burst_site& site, const burst_task& candidate, burst_time now, burst_time& later);
  void look_for_task(const burst_site& site, burst_time now);
  void activate(const burst_site& site, std::uint64_t task_ids, burst_time now);

  std::int64_t evaluate_number(const main_thread& m, const affine& a, int depth) const;
  static std::uint32_t bit_of(const main_thread& m, task_id id) {
    return std::uint32_t{1} << m.site.image->slot_of_task[static_cast<std::size_t>(id)];
  }

  burst_state& s_;
  burst_streams& streams_;
};

}  // namespace scribeline::fabric
