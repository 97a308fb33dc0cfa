#include "platforms/data_pipeline/data_wafer.h"

namespace scribeline::platforms {

namespace {

fabric::run_options with_values() {
  fabric::run_options options;
  options.values = true;
  return options;
}

}  // namespace

data_wafer::data_wafer(const sc_core::sc_module_name& name, const data_wafer_config& config,
                       const kernels::mesh_stage& stage, const link::link_config& link)
    : sc_module(name),
      upstream("upstream", link),
      downstream("downstream", link),
      cores("cores", config.cores),
      config_(config),
      stage_(stage),
      interrupt_latency_(base::picoseconds(config.interrupt_latency_ns * 1000)),
      exit_(exit_program(stage.leaves, config.cores.chip, stage.columns, stage.rows)) {
  if (stage_.enters) entry_ = entry_program(*stage_.enters, config.cores.chip, stage_.columns, stage_.rows);
  load();
  SC_HAS_PROCESS(data_wafer);
  SC_THREAD(run);
}

// Weights are in SRAM before time begins.
void data_wafer::load() {
  kernels::mesh_machine image(config_.cores.chip, stage_.columns, stage_.rows);
  stage_.load(image);
  cores.load(fabric::program("weights", stage_.columns, stage_.rows), with_values());
  cores.engine().take_sram_of(image.engine());
}

void data_wafer::run() {
  for (;;) {
    if (std::optional<link::delivery> d = upstream.pop())
      work_on(*d);
    else
      wait(upstream.arrived());
  }
}

void data_wafer::work_on(link::delivery& d) {
  const data_message in = from_link(d.content);
  wafer_step s;
  s.step = in.step;
  s.sent = d.sent_at;
  s.arrived = d.arrived_at;
  s.begun = sc_core::sc_time_stamp();
  if (observer_ != nullptr) observer_->step_begun(s);
  wait(interrupt_latency_);
  if (stage_.enters)
    s.entry = run_at_edge(entry_, [&](fabric::wavelet_engine& engine) {
      set_entering(engine, *stage_.enters, stage_.columns, stage_.rows, in.vector);
    });
  upstream.release(d);
  s.entered = sc_core::sc_time_stamp();
  for (const kernels::mesh_kernel& kernel : stage_.kernels(in.step)) {
    s.kernels.push_back(run_program(
        program_of(kernel, config_.cores.chip, stage_.columns, stage_.rows, config_.all_reduce), with_values()));
    s.compute += s.kernels.back();
  }
  s.computed = sc_core::sc_time_stamp();
  s.exit = run_at_edge(exit_);
  s.left = sc_core::sc_time_stamp();
  downstream.send(to_link({in.step, bytes_that_left(cores.engine(), stage_.leaves, stage_.columns, stage_.rows)}));
  steps_.push_back(s);
  if (observer_ != nullptr) observer_->step_left(s);
}

base::cycles data_wafer::run_at_edge(const fabric::program& p, const edge_setter& prepare) {
  fabric::run_options options = with_values();
  fabric::fabric_observer* const watcher = observer_ != nullptr ? observer_->edge_observer() : nullptr;
  options.merge_wires = watcher == nullptr;
  cores.observe(watcher);
  const base::cycles cycles = run_program(p, options, prepare);
  cores.observe(nullptr);
  return cycles;
}

base::cycles data_wafer::run_program(const fabric::program& p, const fabric::run_options& options,
                                     const edge_setter& prepare) {
  if (observer_ != nullptr) observer_->program_started(p.name);
  cores.load(p, options);
  if (prepare) prepare(cores.engine());
  cores.start();
  wait(cores.done());
  fabric::require_finished(p.name, cores.result());
  return cores.result().cycles;
}

}  // namespace scribeline::platforms
