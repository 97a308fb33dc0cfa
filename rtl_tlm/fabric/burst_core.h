// Cores of a burst run: vector operations that turn streams into streams, and the main threads that start them.
//
// A main thread runs ahead of the clock as far as nothing that happens meanwhile can matter to it: until it waits, ends
// its task or blocks tasks.
#pragma once

#include <array>

#include "rtl_tlm/fabric/burst_streams.h"

namespace scribeline::fabric {

class burst_core {
 public:
  burst_core(burst_state& s, burst_streams& streams) : s_(s), streams_(streams) {}

  void start(std::uint32_t core);

  // Events.
  void inbox_changed(std::uint32_t queue, burst_time now);
  void thread_wake(std::uint32_t thread, burst_time now);
  void evaluate(std::uint32_t core, burst_time now);
  void resume(std::uint32_t core, burst_time now);
  void dispatch(std::uint32_t core, burst_time now);

 private:
  static constexpr std::size_t max_threads = 9;

  struct runner {
    std::uint32_t number = 0;
    burst_thread* thread = nullptr;
    std::array<std::uint32_t, 2> in{no_index, no_index};
    int inputs = 0;
    burst_rate demand = 0;
    burst_rate granted = 0;
  };

  const instruction& code_of(const burst_class& image, const burst_thread& thread) const {
    return image.tasks[thread.task].code->body[thread.at];
  }
  void find_inputs(const burst_class& image, std::uint32_t core, runner& r);
  void catch_up(const runner& r, burst_time now);
  burst_rate demand(const runner& r, burst_time now);
  burst_rate input_rate(std::uint32_t number, burst_time now);
  static void share(runner* first, std::size_t count);
  void apply(const burst_class& image, std::uint32_t core, runner& r, burst_time now);
  burst_time next_change(const runner& r, burst_time now);
  bool has_input(const burst_class& image, std::uint32_t core, const burst_thread& thread);
  void schedule(std::uint32_t number, burst_thread& thread, burst_time at);
  bool is_done(const burst_thread& thread, burst_time now) const;
  bool has_last_word(std::uint32_t number, const burst_thread& thread, burst_time now);
  bool finish_those_done(std::uint32_t core, const burst_class& image, burst_time now);
  void open_output(const burst_class& image, std::uint32_t core, const runner& r, burst_time now);

  // --- ends of operations ---
  void finish(const burst_class& image, runner& r, burst_time now);
  void take_rest(std::uint32_t queue, burst_words words, burst_time now);
  void end_operation(std::uint32_t number, burst_thread& thread, burst_time end);
  void resume_if_ended(std::uint32_t core, burst_time now);
  void complete(std::uint32_t core, burst_thread& thread, burst_time now);
  void send_control_word(const burst_class& image, std::uint32_t core, std::uint32_t number, burst_thread& thread,
                         burst_time now);
  bool try_local_alone(std::uint32_t core, std::uint32_t number, burst_thread& thread, burst_time now);

  // --- main thread ---
  struct main_thread {
    std::uint32_t core;
    coordinate where;
    const burst_class& image;
    burst_block& block;
    burst_time now;    // of the event
    burst_time ahead;  // where the thread is
  };
  void run(main_thread& m);
  bool execute(main_thread& m, const scalar_work& i);
  bool execute(main_thread& m, const activate_task& i);
  bool execute(main_thread& m, const block_task& i);
  bool execute(main_thread& m, const unblock_task& i);
  bool execute(main_thread& m, const timestamp& i);
  bool execute(main_thread& m, const begin_loop& i);
  bool execute(main_thread& m, const end_loop& i);
  bool execute(main_thread& m, const send_control& i);
  bool execute(main_thread& m, const vector_op& v);
  bool wait_until_now(main_thread& m);
  void begin_operation(main_thread& m, const vector_op& v, int slot);
  void set_pace(const main_thread& m, const vector_op& v, std::int64_t length, burst_thread& thread) const;
  void end_task(main_thread& m);
  bool take_trigger(std::uint32_t core, const burst_task& candidate, burst_time now, burst_time& later);
  void look_for_task(std::uint32_t core, burst_time now);
  void activate(std::uint32_t core, std::uint64_t task_ids, burst_time now);

  std::int64_t evaluate_number(const main_thread& m, const affine& a, int depth) const;
  std::uint32_t bit_of(const burst_class& image, task_id id) const {
    return std::uint32_t{1} << image.slot_of_task[static_cast<std::size_t>(id)];
  }

  burst_state& s_;
  burst_streams& streams_;
  burst_time resumes_at_ = never;  // the main thread of the core at hand, whose operation has just ended
};

}  // namespace scribeline::fabric
