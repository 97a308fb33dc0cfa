// Records what a scale-up domain does as waves (VCD + GTKWave view) and as a timeline.
//
// Exists only in runs that want waves: it observes the endpoints and the switch ports of some ranks and costs nothing
// when it is not there.
//
// Waves, by scope
//   DOMAIN.rank_RRR          packing: transactions in the last PDU; waiting_CHANNEL: bytes that wait to be packed
//   DOMAIN.rank_RRR.plane_P  sending: the port sends a frame; credits_CHANNEL: bytes it may still send;
//                            retry: idle, replaying, discarding or down; replay_frames: sent and not acknowledged by
//                            the link
//   DOMAIN.plane_P.port_RRR  the same of the switch's port to that rank; queue_CHANNEL: frames that wait for it
// Channels by class: req(uests), rsp (responses), col(lectives).
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "platforms/scale_up_domain/scale_up_domain.h"
#include "rtl_tlm/trace/gtkw_view.h"
#include "rtl_tlm/trace/timeline_writer.h"
#include "rtl_tlm/trace/vcd_writer.h"

namespace scribeline::platforms {

// "req", "rsp", "col" by virtual channel; classes that share a channel share its first name.
std::vector<std::string> channel_names(const scale_up_config& config);

// One end of a link.
class port_recorder final : public link::port_observer {
 public:
  port_recorder(trace::vcd_writer& vcd, trace::timeline_writer& timeline, const std::string& scope,
                const std::string& process, const std::vector<std::string>& channels);

  void show(trace::gtkw_view& view) const;

  void transmit_started(const link::frame& f, const sc_core::sc_time& until) override;
  void transmit_idle() override;
  void credits(int virtual_channel, std::int64_t bytes) override;
  void replaying(bool on) override;
  void replay_buffer(std::int64_t frames, std::int64_t bytes) override;
  void discarding(bool on) override;
  void link_down() override;

  // The end of the last frame.
  const sc_core::sc_time& end() const { return end_; }

 private:
  void show_retry();

  trace::bit_signal sending_;
  std::vector<trace::unsigned_signal> credits_;
  trace::text_signal retry_;
  trace::unsigned_signal replay_frames_;
  trace::timeline_track track_;
  bool replaying_ = false;
  bool discarding_ = false;
  sc_core::sc_time end_;
};

class endpoint_recorder final : public sue::endpoint_observer {
 public:
  endpoint_recorder(trace::vcd_writer& vcd, const std::string& scope, const std::vector<std::string>& channels);

  void show(trace::gtkw_view& view) const;

  void pdu_packed(int plane, int channel, std::int64_t transactions) override;
  void queued_bytes(int channel, std::int64_t bytes) override;

 private:
  trace::unsigned_signal packing_;
  std::vector<trace::unsigned_signal> waiting_;
};

class switch_recorder final : public switching::switch_observer {
 public:
  switch_recorder(trace::vcd_writer& vcd, const std::string& scope, int ports,
                  const std::vector<std::string>& channels);

  void show(trace::gtkw_view& view, int port) const;

  void queue_depth(int output, int virtual_channel, std::int64_t frames) override;

 private:
  std::vector<std::vector<trace::unsigned_signal>> queues_;  // by port, up to the traced ones
};

class domain_waves {
 public:
  // Of the first `ranks` ranks and `planes` planes. Before the simulation starts; lives as long as it runs.
  domain_waves(scale_up_domain& domain, const std::string& vcd_file, const std::string& view_file,
               const std::string& timeline_file, const trace::vcd_options& options, int ranks, int planes);

  // Writes the view and completes the files, after the simulation.
  void close();

 private:
  void add_rank(int rank);
  void add_plane(int plane);

  scale_up_domain& domain_;
  std::string view_file_;
  int ranks_;
  int planes_;
  std::vector<std::string> channels_;
  trace::vcd_writer vcd_;
  trace::timeline_writer timeline_;
  std::deque<endpoint_recorder> endpoints_;  // by rank
  std::deque<port_recorder> rank_ports_;     // by rank and plane
  std::deque<switch_recorder> switches_;     // by plane
  std::deque<port_recorder> switch_ports_;   // by plane and rank
};

}  // namespace scribeline::platforms
