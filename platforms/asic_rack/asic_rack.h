// A rack of accelerators that serves one model: a representative rank per group with its firmware, and the host.
//
//     host -> stage 0 -> stage 1 -> ... -> host
//
// Ranks of a group run the same program in step, so one accelerator stands for them: the rank that the routing of
// experts gives most to do. Groups of different stages are simulated one by one.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "firmware_stubs/batch_serving/batch_host.h"
#include "firmware_stubs/batch_serving/rank_firmware.h"
#include "platforms/asic_rack/rack_config.h"
#include "platforms/asic_rack/rack_plan.h"
#include "rtl_tlm/accelerator/accelerator.h"

namespace scribeline::platforms {

// Where the time of a kind of passes went in one stage, summed over passes.
struct stage_times {
  std::uint64_t passes = 0;
  std::uint64_t waiting_ps = 0;   // the stage was busy with an earlier pass
  std::uint64_t firmware_ps = 0;  // register accesses, interrupts
  std::uint64_t launch_ps = 0;
  std::vector<accelerator::operation_cost> operations;  // by index in the stage's program
};

// Collects what a stage's passes cost, operation by operation.
class stage_meter final : public batch_serving::firmware_observer {
 public:
  explicit stage_meter(const accelerator::accelerator& chip) : chip_(chip) {}
  void pass_done(const batch_serving::batch_pass& p, std::uint64_t waited_ps, std::uint64_t residence_ps) override;

  stage_times decode, prefill;

 private:
  const accelerator::accelerator& chip_;
};

class asic_rack : public sc_core::sc_module {
 public:
  // All of them outlive the rack.
  asic_rack(const sc_core::sc_module_name& name, const rack_config& config, const rack_plan& plan,
            accelerator::network_timing& network);

  // Simulates until the batch is answered, `stop()` says so, or nothing moves any more, which throws base::no_progress
  // with who waits for whom. `stop` is polled every simulated `slice`.
  void run(const sc_core::sc_time& slice, const std::function<bool()>& stop);

  // Every exchange that the passes of this run will ask the network for; some appear more than once.
  static std::vector<accelerator::exchange> exchanges_of(const rack_config& config, const rack_plan& plan);

  const rack_plan& plan() const { return plan_; }
  const stage_meter& meter(std::size_t stage) const { return meters_[stage]; }

 private:
  std::string who_waits() const;

  const rack_plan& plan_;
  std::deque<batch_serving::pass_channel> channels_;  // into stage s, and back to the host

 public:
  batch_serving::batch_host host;
  sc_core::sc_vector<accelerator::accelerator> ranks;  // the representative of each stage
  sc_core::sc_vector<batch_serving::rank_firmware> firmware;

 private:
  sc_core::sc_vector<sc_core::sc_signal<bool>> irq_;
  std::deque<stage_meter> meters_;
};

}  // namespace scribeline::platforms
