// Records what a rack does as waves (VCD + GTKWave view) and as a timeline.
//
// Exists only in runs that want waves: it observes the representative ranks and costs nothing when it is not there.
//
// Waves, by scope
//   rack.rank_NN  operation: the one the rank is in, "idle" between launches; layer: the model layer it belongs to;
//                 resource: hbm (products and attention), network (exchanges), vector; launching; tokens, sequences,
//                 context: of the launch
#pragma once

#include <deque>
#include <string>

#include "platforms/asic_rack/asic_rack.h"
#include "rtl_tlm/trace/gtkw_view.h"
#include "rtl_tlm/trace/timeline_writer.h"
#include "rtl_tlm/trace/vcd_writer.h"

namespace scribeline::platforms {

// The representative rank of one stage.
class rank_recorder final : public accelerator::launch_observer {
 public:
  rank_recorder(trace::vcd_writer& vcd, trace::timeline_writer& timeline, std::size_t stage, const rack_stage& what);

  void show(trace::gtkw_view& view) const;

  void launch_started(const accelerator::launch_arguments& arguments) override;
  bool watches_operations() const override;
  void operation_started(std::uint32_t operation) override;
  void launch_finished() override;

 private:
  const accelerator_kernels::rank_program& program_;
  sc_core::sc_time window_start_, window_end_;
  trace::text_signal operation_, layer_, resource_;
  trace::bit_signal launching_;
  trace::unsigned_signal tokens_, sequences_, context_;
  trace::timeline_track track_;
  sc_core::sc_time launched_;
  accelerator::launch_arguments arguments_;
};

class rack_waves {
 public:
  // Attaches to the rack, which must not have started.
  rack_waves(asic_rack& rack, const std::string& vcd_file, const std::string& view_file,
             const std::string& timeline_file, const trace::vcd_options& options);

  // Writes the view and completes the files.
  void close();

 private:
  const asic_rack& rack_;
  std::string view_file_;
  trace::vcd_writer vcd_;
  trace::timeline_writer timeline_;
  trace::gtkw_view view_;
  std::deque<rank_recorder> ranks_;
};

}  // namespace scribeline::platforms
