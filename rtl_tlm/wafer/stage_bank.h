// One register bank of a wafer: the receive queue, the launch unit and the interrupt of one pipeline stage.
//
// A message enters at the tail of the receive queue. Firmware reads the head through RX_*, launches descriptors
// on it, and hands it on with TX_DOORBELL. Every bank has a launch unit (control/launch_unit.h). Refused: either
// doorbell during a launch; LAUNCH_DOORBELL with nothing received, without descriptors, or with one that is out of
// range or that this wafer cannot run (launch_timing.h); TX_DOORBELL with nothing received or TX_BYTES zero.
//
// Timing: doorbells take effect at the time annotated on their transaction, everything else when it is called.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <systemc>
#include <vector>

#include "rtl_tlm/base/register_file.h"
#include "rtl_tlm/base/units.h"
#include "rtl_tlm/control/launch_unit.h"
#include "rtl_tlm/wafer/descriptor.h"
#include "rtl_tlm/wafer/launch_timing.h"
#include "rtl_tlm/wafer/message.h"
#include "rtl_tlm/wafer/register_map.h"

namespace scribeline::wafer {

// Where the time of a kind of passes went in one stage, summed. Picoseconds.
struct pass_statistics {
  std::uint64_t passes = 0, tokens = 0;
  std::uint64_t link_ps = 0;      // on the off-wafer link into this stage, queueing for it included
  std::uint64_t handoff_ps = 0;   // from another stage of this wafer
  std::uint64_t waiting_ps = 0;   // received, but the stage was busy with an earlier pass
  std::uint64_t firmware_ps = 0;  // interrupts, register accesses
  std::uint64_t fabric_ps = 0, compute_ps = 0, sram_ps = 0;  // launches, by what bound each descriptor

  std::uint64_t launch_ps() const { return fabric_ps + compute_ps + sram_ps; }
  std::uint64_t total_ps() const { return link_ps + handoff_ps + waiting_ps + firmware_ps + launch_ps(); }
};

struct stage_statistics {
  pass_statistics decode, prefill;
  double macs = 0, sram_bytes = 0, word_hops = 0;  // energy events
  std::size_t queue_peak = 0;
};

// Sees what a stage does, for waves and timelines. All times are simulation time, now.
class stage_observer {
 public:
  virtual void message_arrived(const pass& p, std::size_t queued) = 0;
  virtual void launch_started(const pass& p) = 0;
  // Asked when a launch starts: whether its operations shall be reported, which costs an event each.
  virtual bool watches_operations() const { return true; }
  // The launch enters the descriptors of `operation` (index in the stage's plan).
  virtual void operation_started(std::uint32_t operation) = 0;
  virtual void launch_finished(const pass& p) = 0;
  virtual void message_sent(const pass& p, std::size_t queued) = 0;

 protected:
  ~stage_observer() = default;
};

class stage_bank : public sc_core::sc_module, private base::register_listener, private control::launch_listener {
 public:
  sc_core::sc_out<bool> irq{"irq"};

  // `forward` takes a pass that the firmware sent on; `descriptors` is the wafer's descriptor memory. Both belong
  // to the wafer and outlive the bank.
  stage_bank(const sc_core::sc_module_name& name, const wafer_config& config, std::uint64_t stage,
             const std::vector<descriptor>& descriptors, std::function<void(const pass&)> forward);

  // A message has arrived. `from_link` tells off-wafer links from hand-offs on the wafer.
  void receive(pass p, bool from_link);

  void access(tlm::tlm_generic_payload& payload, std::uint64_t offset, const sc_core::sc_time& when, bool debug);

  void observe(stage_observer& observer) { observer_ = &observer; }
  const stage_statistics& statistics() const { return statistics_; }

  // Messages received and not yet sent on, for diagnosis.
  std::size_t queued() const { return received_.size(); }
  bool running() const { return unit_.running(); }
  const pass& head() const { return received_.front(); }

 private:
  // The cost of a descriptor as it was last launched: most launches of a stage repeat it. It holds for the kernel it
  // was part of.
  struct remembered_cost {
    descriptor what;
    scaled_extents scaled{};
    std::size_t kernel_first = 0, kernel_count = 0;
    bool valid = false;
  };

  struct launch_work {
    std::array<double, 3> cycles{};  // by bound_by
    double macs = 0, sram_bytes = 0, word_hops = 0;
  };

  void register_changed(std::uint32_t offset, std::uint64_t value, const sc_core::sc_time& when) override;
  void start_launch(const sc_core::sc_time& delay);
  void launch_begins() override;
  void operation_begins(std::uint32_t operation) override;
  void launch_is_over() override;
  void launch_is_told() override;
  void take_head(const sc_core::sc_time& delay);
  void send();
  void show_head();
  pass_statistics& statistics_of(const pass& p) {
    return p.flags & message_flag::prefill ? statistics_.prefill : statistics_.decode;
  }
  // Brings costs_ of the kernel of `count` descriptors up to date. False for one this wafer cannot run.
  bool remember_kernel(std::size_t first, std::size_t count, const launch_arguments& arguments);
  bool prepare_launch(std::uint64_t first, std::uint64_t count, const launch_arguments& arguments);
  void attribute_launch();
  void publish_counters();

  wafer_config config_;
  base::frequency clock_;
  base::register_file registers_;
  const std::vector<descriptor>& descriptors_;
  std::function<void(const pass&)> forward_;
  launch_timing timing_;
  control::launch_unit unit_;
  std::vector<remembered_cost> remembered_;  // by index in descriptor memory, as the costs
  std::vector<descriptor_cost> costs_;

  std::deque<pass> received_;
  std::deque<std::uint64_t> received_at_ps_;
  std::deque<pass> leaving_;             // taken by TX_DOORBELL, until the time annotated on it
  std::uint64_t free_since_ps_ = 0;      // when the previous pass left
  launch_work work_;                     // of the running launch
  std::uint64_t pass_launch_ps_ = 0;     // finished launches of the pass at the head
  std::array<double, 3> busy_cycles_{};  // since reset

  sc_core::sc_event send_due_{"send_due"};
  stage_observer* observer_ = nullptr;
  stage_statistics statistics_;
};

}  // namespace scribeline::wafer
