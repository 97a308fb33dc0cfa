// What a wafer core does in how many cycles: one set of constants per chip, none per program.
//
// The core is in-order: a main thread runs tasks, up to eight microthreads stream vector operations beside it. Every
// cycle the datapath takes one step of one vector operation, chosen round-robin among the threads that have what they
// need. A step that touches the fabric moves one 32-bit word (one 32-bit or two 16-bit elements); a step between SRAM
// vectors moves as many elements as `rates` says.
#pragma once

#include <cstdint>

namespace scribeline::core {

// Elements per cycle of a vector operation whose operands are all in SRAM.
struct vector_rate {
  double elements_16_bit;
  double elements_32_bit;
};

struct core_timing {
  std::int64_t task_dispatch_cycles;     // task picked -> first cycle of its body
  std::int64_t branch_taken_cycles;      // jump, call, return
  std::int64_t loop_back_edge_cycles;    // end of a loop body -> its next iteration
  std::int64_t vector_setup_cycles;      // descriptor loads and the vector instruction, before the first step
  std::int64_t completion_cycles;        // last step of an asynchronous operation -> the task it activates is active
  std::int64_t timestamp_cycles;         // reading the cycle counter, which is sampled first
  std::int64_t execute_cycles;           // a word through the datapath
  std::int64_t microthread_wake_cycles;  // a microthread starts and sees freed queue space this much later
  std::int64_t bank_conflict_cycles;     // extra cycles of a step whose operands meet in one SRAM bank
  vector_rate copy;                      // and expanding packed integers (assumption)
  vector_rate arithmetic;                // add, subtract, multiply, maximum, minimum, at_least
  vector_rate multiply_add;              // multiply_accumulate, too
  vector_rate special;                   // exponential, reciprocal, reciprocal_root, logarithm

  // Scalar code that tests a word in memory: load, compare, branch. One cycle each unless it is taken (assumption).
  constexpr std::int64_t test_cycles(bool branch_taken) const { return 2 + (branch_taken ? branch_taken_cycles : 1); }
};

// Published for the core of both generations: a vector operation takes 3 descriptor loads and 1 instruction, a taken
// branch 6 cycles, a loop back-edge 9 to 10, a completion task is active 3 cycles after the last word.
// Assumptions: a task is dispatched in the time of a taken branch; a timestamp takes 5 cycles (three 16-bit words).
// Special functions are no instructions of the datapath: eight arithmetic passes over the vector (range reduction, a
// polynomial of degree four, rescaling; or a first guess and two Newton steps) are assumed, their set-ups not counted.
//
// WSE-2: one word per cycle and 2 T_R + 1 cycles per dependent message (HPDC'24), so the datapath takes one cycle.
// fp16: two multiply-adds per cycle are sustained, of a vendor peak of four (fitted on WaferLLM's measurements, see
// docs/validation.md); other arithmetic at the peak and copies at the SRAM's write port of 8 B per cycle are
// assumptions, as is fp32 arithmetic of one element per cycle.
constexpr core_timing wse2_core() {
  return {6, 6, 9, 4, 3, 5, 1, 0, 1, {4, 2}, {4, 1}, {2, 1}, {0.5, 0.125}};
}

// WSE-3: rates and the bank conflict (1.94 times) as measured on silicon (FABRICA, arXiv 2608.25124). Arithmetic other
// than multiply-add was not measured: assumed as multiply-add in 16 bit, one element per cycle in 32 bit.
// The wake-up cycle follows from messages of 1.125 = 9/8 cycles per word where relays reach 1.001: eight words of
// output queue cover a round trip of 8 cycles for a synchronous operation, but not the 9 of a microthread.
constexpr core_timing wse3_core() {
  return {6, 6, 9, 4, 3, 5, 1, 1, 1, {4.82, 2.44}, {2.92, 1}, {2.92, 0.5}, {0.365, 0.125}};
}

}  // namespace scribeline::core
