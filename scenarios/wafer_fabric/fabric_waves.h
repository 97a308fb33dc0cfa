// Waves and a timeline of a rectangle of cores while they run a program.
//
// Waves, by scope
//   fabric                cycle: counted from the start of the program
//   fabric.core_CC_RR     task: what it works on; stall: why it does nothing; steps: the datapath takes a step of a
//                         vector operation; to_core: words in its input queues
//   fabric.core_CC_RR.router
//                         from_north, ... from_core: words in the queues of that side, all colors; stall: of the first
//                         color that cannot leave
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rtl_tlm/fabric/fabric.h"
#include "rtl_tlm/fabric/wavelet/wavelet_probe.h"
#include "rtl_tlm/trace/gtkw_view.h"
#include "rtl_tlm/trace/timeline_writer.h"
#include "rtl_tlm/trace/vcd_writer.h"
#include "scenarios/harness/result_directory.h"

namespace scribeline::scenarios {

class fabric_waves final : public fabric::fabric_observer {
 public:
  // Makes waves.vcd, waves.gtkw and timeline.json among the results. Cores are a full rectangle inside the program.
  fabric_waves(harness::result_directory& results, const fabric::region& cores, const base::frequency& clock,
               const trace::vcd_options& options);

  base::cycles first_cycle() const override;
  base::cycles last_cycle() const override;
  void before_cycle(const fabric::wavelet_engine& engine, const sc_core::sc_time& start) override;

  // Writes the view and completes the files, after the simulation.
  void close();

 private:
  struct traced_core {
    fabric::coordinate where;
    trace::text_signal task, stall, router_stall;
    trace::bit_signal steps;
    trace::unsigned_signal to_core;
    std::vector<trace::unsigned_signal> queued;  // by side
    trace::timeline_track track;
    fabric::core_view last;
    sc_core::sc_time task_began;
  };

  void add_core(fabric::coordinate where);
  static void update(traced_core& core, const fabric::core_view& now, const sc_core::sc_time& at);
  static void end_task(traced_core& core, const sc_core::sc_time& at);

  base::frequency clock_;
  std::string view_file_;
  trace::vcd_writer vcd_;
  trace::timeline_writer timeline_;
  trace::unsigned_signal cycle_;
  std::vector<traced_core> cores_;
  sc_core::sc_time reached_;
};

}  // namespace scribeline::scenarios
