// Accelerators on a scale-up network: an endpoint a rank, a switch a plane, a link between each pair of them.
//
//     rank 0 --- plane 0 --- rank 1        every rank has one port on every plane; planes do not meet
//        \------ plane 1 ------/
#pragma once

#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "platforms/scale_up_domain/scale_up_config.h"
#include "rtl_tlm/sue/endpoint.h"
#include "rtl_tlm/switch/cut_through_switch.h"

namespace scribeline::platforms {

// Errors: base::bad_input for a configuration that cannot be; base::no_progress from run().
class scale_up_domain : public sc_core::sc_module {
 public:
  // The group of all ranks, for all_reduce() in the network; it always exists.
  static constexpr int everybody = 0;

  scale_up_domain(const sc_core::sc_module_name& name, const scale_up_config& config);

  const scale_up_config& config() const { return config_; }
  int ranks() const { return config_.ranks; }
  int planes() const { return config_.planes; }

  sue::endpoint& rank(int r) { return ranks_[r]; }
  const sue::endpoint& rank(int r) const { return ranks_[r]; }
  switching::cut_through_switch& plane(int p) { return planes_[p]; }
  const switching::cut_through_switch& plane(int p) const { return planes_[p]; }

  // A further group for multicast and reduction, numbered from 1 on. Before the simulation starts.
  int add_group(const std::vector<int>& members);

  // The link of a rank to a plane goes down, or all links of a plane: for good. All endpoints learn of it at once
  // (assumption: routes are updated faster than timers expire); what was on its way goes again over the others.
  void take_link_down(int rank, int plane);
  void take_plane_down(int plane);

  // Every transfer of every rank is done.
  bool is_idle() const;
  // Who waits for whom; empty when idle.
  std::string why_blocked() const;
  // Simulates until nothing is left to do or `stop()`, polled every `slice`, says so. Throws base::no_progress when
  // transfers are left and nothing moves any more. For platforms that have no loop of their own.
  void run(const sc_core::sc_time& slice, const std::function<bool()>& stop);

 private:
  void lose_link(int rank, int plane);

  const scale_up_config config_;
  sc_core::sc_vector<sue::endpoint> ranks_;
  sc_core::sc_vector<switching::cut_through_switch> planes_;
  int groups_ = 1;
};

}  // namespace scribeline::platforms
