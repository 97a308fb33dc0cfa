// How long launch descriptors take on an accelerator: a roofline with floors.
//
//   time = start + on-chip latency + HBM latency + max(HBM, matrix or vector units, on-chip transfer)
//
// HBM: weights, cache entries and state at hbm_efficiency of the rate; operands are dealt to the slices in pieces of
//   placement_bytes, and the slice with most pieces sets the time (occupancy).
// Matrix units: multiply-accumulates at matrix_efficiency of the rate for the weights' width; fewer tokens than
//   token_tile cost as much as a tile. Attention and recurrences run at the 16-bit rate.
// On-chip network: operands go through two stages into the slices and results through two stages out. A product of many
//   tokens is cut into a grid of token and output blocks, the cut with the fewest bytes through a slice's port.
// Running ahead: while HBM is idle (starts, exchanges, compute-bound work) weights of later descriptors whose operands
//   are known stream into L1, up to half of it; they cost neither time nor latency when their turn comes.
// Exchanges take what network_timing says.
// Expert work is timed for the busiest rank; the excess over the mean rank is reported as waiting.
// Not modelled: HBM banks and refresh, thermal limits, contention between slices on the NoC, overlap of exchanges with
// work that does not depend on them.
#pragma once

#include "rtl_tlm/accelerator/accelerator_config.h"
#include "rtl_tlm/accelerator/descriptor.h"
#include "rtl_tlm/accelerator/network_timing.h"

namespace scribeline::accelerator {

enum class bound_by : std::uint8_t { start, hbm, matrix, vector_units, on_chip, network };

// Parts in nanoseconds; they add up to total_ns().
struct operation_cost {
  double start_ns = 0;    // start of the operation, HBM latency
  double work_ns = 0;     // the largest of HBM, units and on-chip transfer
  double on_chip_ns = 0;  // latency of the on-chip network
  double network_ns = 0;
  double wait_ns = 0;  // for the busiest rank
  bound_by binds = bound_by::start;
  double hbm_bytes = 0, macs = 0, network_bytes = 0;  // energy events of the mean rank

  double total_ns() const { return start_ns + work_ns + on_chip_ns + network_ns + wait_ns; }
  // Sums all but `binds`, which stays that of the left.
  operation_cost& operator+=(const operation_cost& other);
};

// Known codes, at least one of what is divided by, a group no larger than the scale-up domain.
bool can_run(const descriptor& d, const accelerator_config& chip);

class operation_timing {
 public:
  // `network` outlives the timing.
  operation_timing(const accelerator_config& config, network_timing& network) : config_(config), network_(&network) {}

  // A launch begins: nothing has been fetched ahead.
  void begin() { ahead_bytes_ = 0; }
  // The next descriptor of the launch.
  operation_cost next(const descriptor& d, const launch_arguments& arguments);

  // What the network is asked for by a descriptor that is an exchange.
  static exchange exchange_of(const descriptor& d, const launch_arguments& arguments);

 private:
  // What a descriptor amounts to on one rank.
  struct amount {
    double tokens = 0;  // or token-expert pairs
    double weight_bytes = 0;
    double cache_bytes = 0;
    double macs = 0;
  };
  struct times {
    double hbm_ns = 0, units_ns = 0, transfer_ns = 0;
    double largest_ns() const;
  };

  amount amount_of(const descriptor& d, const launch_arguments& arguments, bool busiest) const;
  times times_of(const descriptor& d, const amount& a, double fetched_bytes) const;
  double hbm_ns(double bytes) const;
  operation_cost exchange_cost(const descriptor& d, const launch_arguments& arguments);
  void run_ahead(double idle_ns);

  accelerator_config config_;
  network_timing* network_;
  double ahead_bytes_ = 0;  // room filled with operands of later descriptors
};

}  // namespace scribeline::accelerator
