// Records a data pipeline as waves (VCD + GTKWave view) and as a timeline; exists only in runs that want waves.
//
// Waves, by scope
//   pipeline.wafer_N   activity: idle, firmware, or the kernel its cores run; position, token: at work
//   pipeline.wafer_N.enters, .leaves
//                      row_RR: the word that passed the edge last in this row, two fp16 elements, the first in the low
//                      half; words: how many have passed, all rows
//   pipeline.wafer_N.link, pipeline.host.link
//                      see link_recorder.h
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "platforms/data_pipeline/data_pipeline.h"
#include "platforms/link_waves/link_recorder.h"
#include "rtl_tlm/trace/gtkw_view.h"
#include "rtl_tlm/trace/timeline_writer.h"
#include "rtl_tlm/trace/vcd_writer.h"

namespace scribeline::platforms {

// The words that pass an edge of a mesh while a program moves a vector through it, each at its cycle.
class edge_recorder final : public fabric::fabric_observer {
 public:
  edge_recorder(trace::vcd_writer& vcd, const std::string& scope, const data_wafer& wafer);

  void show(trace::gtkw_view& view) const;
  // A program begins: the engine counts from 0 again.
  void restart();

  base::cycles first_cycle() const override { return {}; }
  base::cycles last_cycle() const override;
  void before_cycle(const fabric::wavelet_engine& engine, const sc_core::sc_time& start) override;

 private:
  struct side {
    std::vector<kernels::edge_gate> gates;
    std::vector<trace::unsigned_signal> rows;
    std::vector<std::size_t> seen;  // words, by gate
    trace::unsigned_signal words;
    std::uint64_t passed = 0;
  };
  side declare(trace::vcd_writer& vcd, const std::string& scope, std::vector<kernels::edge_gate> gates) const;
  void update(side& s, std::size_t gate, const std::vector<std::uint32_t>& words, std::size_t passed,
              const sc_core::sc_time& at);

  const data_wafer& wafer_;
  base::frequency clock_;
  side enters_, leaves_;
};

class data_wafer_recorder final : public data_wafer_observer {
 public:
  data_wafer_recorder(trace::vcd_writer& vcd, trace::timeline_writer& timeline, const std::string& scope,
                      const std::string& track, const data_wafer& wafer);

  void show(trace::gtkw_view& view) const;
  const trace::text_signal& activity() const { return activity_; }

  void step_begun(const wafer_step& s) override;
  void program_started(const std::string& name) override;
  void step_left(const wafer_step& s) override;
  fabric::fabric_observer* edge_observer() override { return &edge_; }

 private:
  void end_program();

  trace::text_signal activity_;
  trace::unsigned_signal position_, token_;
  trace::timeline_track programs_, steps_;
  edge_recorder edge_;
  std::string program_;  // at work; empty: none
  sc_core::sc_time program_began_;
};

class data_waves {
 public:
  // Attaches to the pipeline, which must not have started.
  data_waves(data_pipeline& pipeline, const std::string& vcd_file, const std::string& view_file,
             const std::string& timeline_file, const trace::vcd_options& options);

  // Writes the view and completes the files.
  void close();

 private:
  std::string view_file_;
  trace::vcd_writer vcd_;
  trace::timeline_writer timeline_;
  std::deque<data_wafer_recorder> wafers_;
  std::deque<link_recorder> links_;  // of the host, then of each wafer
};

}  // namespace scribeline::platforms
