// A wafer that computes: a mesh of cores whose SRAM holds a stage's weights and caches, a link port on either side, and
// the firmware between them.
//
// The firmware, a thread, waits for a message, moves the vector in it through the west edge into the cores, runs the
// stage's kernels one after the other, moves the result through the east edge, and sends it on. Messages wait in the
// receive buffer and occupy it until their vector is in the cores.
//
// Time: link and fabric take their own; the firmware takes interrupt_latency_ns from a message's arrival, or from the
// end of the one before, to its first program. Programs follow each other without a gap, as a list of launches does.
// Not modelled: the way from the port to the edge of the mesh, which takes a word per row and cycle; the time to
// compile programs; more than one sequence of tokens.
//
// Ends with base::no_progress when a program stands still.
#pragma once

#include <string>
#include <systemc>
#include <vector>

#include "firmware_stubs/kernels/mesh_stage.h"
#include "platforms/data_pipeline/data_message.h"
#include "rtl_tlm/fabric/fabric.h"
#include "rtl_tlm/link/port.h"

namespace scribeline::platforms {

struct data_wafer_config {
  fabric::fabric_config cores;
  kernels::all_reduce_style all_reduce;
  double interrupt_latency_ns = 200;  // assumption, as in chain_config.h
};

// One token on one wafer. Sent, arrived: over the link before it. Begun: the firmware took it up.
struct wafer_step {
  kernels::token_step step;
  sc_core::sc_time sent, arrived, begun, entered, computed, left;
  base::cycles entry, compute, exit;  // of the programs
  std::vector<base::cycles> kernels;  // of `compute`
};

class data_wafer_observer {
 public:
  virtual ~data_wafer_observer() = default;
  virtual void step_begun(const wafer_step& /*s*/) {}
  virtual void program_started(const std::string& /*name*/) {}
  virtual void step_left(const wafer_step& /*s*/) {}
  // Looks at the programs that move vectors through the edge, cycle by cycle; null: none does.
  virtual fabric::fabric_observer* edge_observer() { return nullptr; }
};

class data_wafer : public sc_core::sc_module {
 public:
  link::port upstream;
  link::port downstream;
  fabric::fabric cores;

  // What the stage refers to outlives the wafer.
  data_wafer(const sc_core::sc_module_name& name, const data_wafer_config& config, const kernels::mesh_stage& stage,
             const link::link_config& link);

  const kernels::mesh_stage& stage() const { return stage_; }
  // Of the tokens that have left, in order.
  const std::vector<wafer_step>& steps() const { return steps_; }
  sc_core::sc_time interrupt_latency() const { return interrupt_latency_; }
  // Not owned; null: none.
  void observe(data_wafer_observer* observer) { observer_ = observer; }

 private:
  using edge_setter = std::function<void(fabric::wavelet_engine&)>;

  void load();
  void run();
  void work_on(link::delivery& d);
  base::cycles run_at_edge(const fabric::program& p, const edge_setter& prepare = {});
  base::cycles run_program(const fabric::program& p, const fabric::run_options& options,
                           const edge_setter& prepare = {});

  data_wafer_config config_;
  kernels::mesh_stage stage_;
  sc_core::sc_time interrupt_latency_;
  fabric::program entry_, exit_;
  std::vector<wafer_step> steps_;
  data_wafer_observer* observer_ = nullptr;
};

}  // namespace scribeline::platforms
