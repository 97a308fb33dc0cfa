// Everything of a wavelet run that changes, in flat arrays by core, queue or thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rtl_tlm/fabric/run.h"
#include "rtl_tlm/fabric/wavelet/activity_wheel.h"
#include "rtl_tlm/fabric/wavelet/color_activity.h"
#include "rtl_tlm/fabric/wavelet/sram.h"
#include "rtl_tlm/fabric/wavelet/sweep_plan.h"
#include "rtl_tlm/fabric/wavelet/wavelet_layout.h"

namespace scribeline::fabric {

struct router_state {
  std::uint32_t occupied = 0;                      // by slot: queues with words, visible or not
  std::uint32_t base = 0;                          // first queue of this core
  std::uint32_t first_rivals = 0;                  // class_image::first_rivals
  std::array<std::uint8_t, ports> last_granted{};  // by output side: the slot that had the last turn
};

enum class main_state : std::uint8_t {
  idle,
  busy,         // until core_state::main_until
  in_vector,    // waits for its synchronous operation
  wait_thread,  // wants to start an operation on a microthread that is not free
};

// What a core needs every cycle.
struct core_state {
  static constexpr std::uint8_t runnable = 1;      // a local task is active and not blocked
  static constexpr std::uint8_t data_tasks = 2;    // constant: some task is triggered by data
  static constexpr std::uint8_t control_came = 4;  // a control word lies in an input queue
  static constexpr std::uint8_t edge_sources = 8;  // constant: words enter from outside here

  std::uint32_t main_until = 0;
  std::uint32_t first_thread = 0;
  std::uint32_t image = 0;
  std::uint16_t threads = 0;     // by thread slot: has an operation
  std::uint16_t completing = 0;  // by thread slot: the operation is done, its completion is not
  main_state main = main_state::idle;
  std::uint8_t flags = 0;
  std::uint8_t last_thread = 0;  // that had a step
};

// What a core needs when a task runs.
struct task_state {
  std::uint64_t active = 0;
  std::uint64_t blocked = 0;
  std::uint32_t task = 0;                     // in program::tasks
  std::uint32_t at = 0;                       // next instruction
  std::array<std::uint32_t, 2> loop_start{};  // [0] the outer loop
  std::array<std::uint32_t, 2> iteration{};
  std::array<std::uint32_t, 2> iterations{};
  std::uint8_t loops = 0;
};

enum class thread_kind : std::uint8_t {
  fabric,   // a word per step
  local,    // all operands in SRAM
  control,  // one control word
};

// A vector operation in progress. 32 bytes: half a cache line.
struct alignas(32) thread_state {
  const vector_op* op = nullptr;  // null: a control word of the main thread
  std::uint32_t remaining = 0;    // elements; of kind control: the word
  std::uint32_t ready_at = 0;     // of the next step, or of the completion
  std::uint32_t in_a = no_queue;
  std::uint32_t in_b = no_queue;
  std::uint32_t out = no_queue;
  thread_kind kind = thread_kind::fabric;
  std::uint8_t elements = 0;     // per word
  std::uint8_t step_cycles = 1;  // fabric: of a full word
  std::uint8_t closing = 0;      // a control word follows the data
};
static_assert(sizeof(thread_state) == 32, "two threads a cache line");

// Its operands, needed when words carry values, banks conflict or all operands are in SRAM.
struct thread_operands {
  const vector_op* op = nullptr;
  std::uint32_t element = 0;  // done so far
  std::uint32_t dst = 0;      // byte addresses
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t scalar = 0;  // bits
  std::uint32_t rate = 0;    // local: elements per cycle, fixed point
  std::uint32_t budget = 0;  // local: elements owed by the rate, fixed point
};

struct edge_source {
  std::uint32_t core = 0;
  port side = port::west;
  color_id color = 0;
  std::uint32_t queue = 0;
  std::int64_t remaining = 0;
  std::int64_t period = 1;
  std::uint64_t next_cycle = 0;  // of the next push
  std::uint32_t sent = 0;
  std::vector<std::uint32_t> values;  // what is behind its end is the word's number
};

struct sink_record {
  std::int64_t words = 0;
  std::uint32_t first_cycle = 0;
  std::uint32_t last_cycle = 0;
  std::vector<std::uint32_t> values;  // when words carry values
};

struct wavelet_state {
  wavelet_state(const program& p, const fabric_chip& c, const run_options& o);

  coordinate place_of(std::uint32_t core) const { return layout.place_of(core); }
  const class_image& image_of(std::uint32_t core) const { return layout.images[cores[core].image]; }

  program code;
  fabric_chip chip;
  run_options options;
  wavelet_layout layout;
  sweep_plan plan;
  bool stores_words = false;  // values are on, or control words travel
  bool needs_operands = false;

  std::vector<word_queue>& queues;        // layout.queues
  std::vector<std::uint32_t> slot_times;  // of the queues' rings
  std::vector<std::uint32_t> slot_words;  // the same slots; empty unless stores_words
  std::vector<router_state> routers;
  std::vector<core_state> cores;
  std::vector<task_state> tasks;
  std::vector<thread_state> threads;
  std::vector<thread_operands> operands;  // by thread; empty when no operation needs them
  std::vector<edge_source> sources;       // by core
  std::vector<sink_record> sinks;
  std::unique_ptr<sram_pages> sram;  // when values are on

  color_activity colors;
  // No word of a quiet color leaves any router for that many cycles.
  std::uint32_t quiet_cycles = 0;

  activity_wheel router_wheel;
  activity_wheel core_wheel;
  std::uint32_t last_action = 0;
  std::uint32_t run_limit = 0;  // no action in or behind this cycle
  std::vector<timestamp_record> timestamps;

  // The earliest violation.
  std::uint32_t violation_cycle = 0xffffffffu;
  std::uint32_t violation_core = 0;
  color_id violation_color = 0;
};

}  // namespace scribeline::fabric
