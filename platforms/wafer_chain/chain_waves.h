// Records what a wafer chain does as waves (VCD + GTKWave view) and as a timeline.
//
// Exists only in runs that want waves: it observes the stages, links and host of a chain and costs nothing when it is
// not there.
//
// Waves, by scope
//   pipeline         one line a stage: the pass at work, "request@position", or "." when there is none
//   host             running, queued: requests; tokens: output tokens so far
//   wafer_NN.LAYER   activity: idle, firmware, or the operation of the layer the cores are in;
//   request, position,
//                    tokens: of the pass at work; queued: passes received and not sent on
//   wafer_NN.link    of its link downstream, see link_recorder.h
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "platforms/link_waves/link_recorder.h"
#include "platforms/wafer_chain/wafer_chain.h"
#include "rtl_tlm/trace/gtkw_view.h"
#include "rtl_tlm/trace/timeline_writer.h"
#include "rtl_tlm/trace/vcd_writer.h"

namespace scribeline::platforms {

// One stage: its waves and its track of the timeline.
class stage_recorder final : public wafer::stage_observer {
 public:
  stage_recorder(trace::vcd_writer& vcd, trace::timeline_writer& timeline, const std::string& scope,
                 const std::string& track, const stage_site& site);

  void show(trace::gtkw_view& view) const;
  const trace::text_signal& pass() const { return pass_; }

  void message_arrived(const wafer::pass& p, std::size_t queued) override;
  bool watches_operations() const override;
  void launch_started(const wafer::pass& p) override;
  void operation_started(std::uint32_t operation) override;
  void launch_finished(const wafer::pass& p) override;
  void message_sent(const wafer::pass& p, std::size_t queued) override;

 private:
  const std::vector<std::string>& operations_;
  sc_core::sc_time window_start_, window_end_;
  trace::text_signal pass_;
  trace::text_signal activity_;
  trace::unsigned_signal request_, position_, tokens_, queued_;
  trace::timeline_track track_;
  sc_core::sc_time launched_;
};

class host_recorder final : public serving::host_observer {
 public:
  host_recorder(trace::vcd_writer& vcd, trace::timeline_writer& timeline);

  void show(trace::gtkw_view& view) const;

  void request_arrived(const serving::request_record& r, std::size_t queued) override;
  void request_started(const serving::request_record& r, std::size_t running, std::size_t queued) override;
  void tokens_received(const serving::request_record& r, std::uint64_t tokens) override;
  void request_finished(const serving::request_record& r, std::size_t running) override;

 private:
  trace::timeline_writer& timeline_;
  std::vector<trace::timeline_track> users_;
  std::uint64_t tokens_so_far_ = 0;
  trace::unsigned_signal running_, queued_, tokens_, last_request_;
};

class chain_waves {
 public:
  // Attaches to the chain, which must not have started. Files appear in `folder`.
  chain_waves(wafer_chain& chain, const chain_config& config, const std::string& vcd_file, const std::string& view_file,
              const std::string& timeline_file, const trace::vcd_options& options);

  // Writes the view and completes the files.
  void close();

 private:
  void compose_view();

  const wafer_chain& chain_;
  std::string view_file_;
  trace::vcd_writer vcd_;
  trace::timeline_writer timeline_;
  trace::gtkw_view view_;
  std::unique_ptr<host_recorder> host_;
  std::deque<stage_recorder> stages_;
  std::deque<link_recorder> links_;  // of the host, then of each wafer
};

}  // namespace scribeline::platforms
