// A chain of wafers that serves one model: wafers, the firmware of their stages, and the host, wired together.
//
//     host.to_chain -> wafer 0 -> wafer 1 -> ... -> wafer n-1 -> host.from_chain
#pragma once

#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "firmware_stubs/serving/serving_host.h"
#include "firmware_stubs/streamer/layer_streamer.h"
#include "platforms/wafer_chain/chain_config.h"
#include "platforms/wafer_chain/chain_memory.h"
#include "platforms/wafer_chain/chain_plan.h"
#include "rtl_tlm/wafer/wafer.h"

namespace scribeline::platforms {

class wafer_chain : public sc_core::sc_module {
 public:
  // Both outlive the chain. Throws base::does_not_fit.
  wafer_chain(const sc_core::sc_module_name& name, const chain_config& config, const chain_plan& plan);

  // Simulates until every request is answered, `stop()` says so, or nothing moves any more, which throws
  // base::no_progress with who waits for whom. `stop` is polled every simulated `slice`.
  void run(const sc_core::sc_time& slice, const std::function<bool()>& stop);

  const chain_plan& plan() const { return plan_; }
  const wafer::stage_statistics& stage(std::size_t s) const { return bank(s).statistics(); }
  wafer::stage_bank& bank(std::size_t s);
  const wafer::stage_bank& bank(std::size_t s) const;

  chain_memory memory;
  serving::serving_host host;
  sc_core::sc_vector<wafer::wafer> wafers;
  sc_core::sc_vector<streamer::layer_streamer> streamers;

 private:
  std::string who_waits() const;

  const chain_plan& plan_;
  sc_core::sc_vector<sc_core::sc_signal<bool>> irq_;
};

}  // namespace scribeline::platforms
