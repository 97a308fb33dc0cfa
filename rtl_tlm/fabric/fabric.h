// The fabric of a wafer as a SystemC module: runs fabric programs in simulated time.
//
// One module for all cores; they are flat arrays inside the engine. When a program starts, its engine runs ahead to the
// end at once (nothing outside can reach the cores meanwhile), and `done` comes after the cycles that it took.
//
//   fabric::fabric wafer("fabric", {fabric::wse3_chip(), base::frequency{0.875}});
//   ...                                            // in an SC_THREAD
//   fabric::run_result result = wafer.run(program);   // returns when simulated time has passed the last action
//
// With values: load() with run_options::values, write vectors through engine(), start(), wait for done(), read vectors.
// What lies in SRAM stays from one program with values to the next, which must have as many columns and rows; programs
// without values between them do not touch it.
// What it does not model: words that come while a program runs; edge words are set before the start.
#pragma once

#include <functional>
#include <memory>
#include <systemc>

#include "rtl_tlm/base/units.h"
#include "rtl_tlm/fabric/burst/burst_engine.h"
#include "rtl_tlm/fabric/link_loads.h"
#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"

namespace scribeline::fabric {

struct fabric_config {
  fabric_chip chip;  // columns and rows: the largest program that fits
  base::frequency clock{1};
  engine_kind engine = engine_kind::wavelet;
};

// Looks at a run cycle by cycle, while it runs ahead of simulated time.
class fabric_observer {
 public:
  virtual ~fabric_observer() = default;
  // Cycles of a program that are looked at: first to last, counted from its start.
  virtual base::cycles first_cycle() const = 0;
  virtual base::cycles last_cycle() const = 0;
  // `start` is the simulated time of cycle 0. The engine stands before the cycle engine.now().
  virtual void before_cycle(const wavelet_engine& engine, const sc_core::sc_time& start) = 0;
};

struct fabric_statistics {
  std::int64_t programs = 0;  // that were started
  base::cycles busy;
  std::int64_t word_hops = 0;
  std::int64_t ramp_words = 0;
};

class fabric : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(fabric);
  fabric(const sc_core::sc_module_name& name, const fabric_config& config);

  // Prepares a program; replaces the one before. Throws program_error when it is invalid, std::invalid_argument for
  // options that the engine does not take, std::logic_error while another one runs or when SRAM contents would be lost.
  void load(const program& p, const run_options& options = {});
  // Starts the loaded program, once. Throws std::logic_error when there is none or one is running.
  void start();
  bool busy() const { return busy_; }
  // Notified when the last action of the program is over, also when it does not finish.
  const sc_core::sc_event& done() const { return done_; }
  // Of the program started last; std::logic_error before the first one.
  const run_result& result() const;

  // load(), start() and wait for done() in one, from an SC_THREAD. Throws base::no_progress with the chain of waits
  // when the program stands still or reaches its limit, base::bad_input when words of one color meet in a router.
  run_result run(const program& p, const run_options& options = {});

  // Of the loaded program: values and statistics by core. Throws std::logic_error when there is none, or it is a burst
  // engine's.
  wavelet_engine& engine();
  // Words of every link in the run of the loaded program. Of a burst engine that was asked to count them
  // (run_options::link_loads); otherwise std::logic_error.
  link_loads loads();
  // Of the arrays of the loaded program's engine.
  std::size_t memory_bytes() const;
  const fabric_config& config() const { return config_; }
  const fabric_statistics& statistics() const { return statistics_; }

  // Not owned; null ends it. For programs loaded with run_options::merge_wires off.
  void observe(fabric_observer* observer) { observer_ = observer; }
  // Asked from time to time while an engine runs: true gives up, as at a cycle limit. Gets the cycle reached.
  void give_up_when(std::function<bool(base::cycles)> wanted) { give_up_ = std::move(wanted); }

 private:
  void run_ahead();
  void run_bursts_ahead();
  // False when nothing moves any more or the run is given up.
  bool advance(base::cycles end, bool watched);
  void finish();

  fabric_config config_;
  std::int64_t cores_ = 1;  // of the program
  std::unique_ptr<wavelet_engine> engine_;
  std::unique_ptr<wavelet_engine> with_sram_;  // of the last program with values, while the loaded one has none
  std::unique_ptr<burst_engine> burst_;
  run_result result_;
  fabric_statistics statistics_;
  fabric_observer* observer_ = nullptr;
  std::function<bool(base::cycles)> give_up_;
  base::cycles limit_;   // of the loaded program
  bool loaded_ = false;  // and not started
  bool busy_ = false;
  sc_core::sc_event finish_due_{"finish_due"};
  sc_core::sc_event done_{"done"};
};

// Throws for a program that did not finish, see fabric::run().
void require_finished(const std::string& program_name, const run_result& result);

}  // namespace scribeline::fabric
