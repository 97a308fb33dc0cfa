// Exchanges between ranks simulated packet by packet on a scale-up Ethernet.
//
// Every distinct exchange of the passes to come runs once, before the rack starts to serve, on a domain of as many
// endpoints as a group has ranks; the rack then asks for the result. The algorithm is the one the closed forms choose.
//
//   one-shot, direct   every rank sends its part to every other
//   two-shot           parts of 1/n to every other; when all are there, the sums likewise
//   ring               1/n to the next rank, which passes on what it got: 2 (n - 1) steps, n - 1 to gather
//   in-network         contributions to the switches, sums back
//   dispatch, combine  every rank sends as much as the busiest, evenly to all others
//
// Time: the last arrival at the last rank, counted from a common start; what software adds (start_ns, phase_ns and
// their like) comes on top as in the closed forms. Latency: bridges, PHYs and switch of the domain's sums, the cable is
// what one_way_ns leaves. Not modelled: ranks that start late, other traffic, what the sums cost the ranks.
//
// Throws base::bad_input for a network that is no scale-up Ethernet, or faster than its parts.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <systemc>
#include <tuple>
#include <vector>

#include "firmware_stubs/network_collectives/closed_form_network.h"
#include "platforms/scale_up_domain/scale_up_domain.h"
#include "rtl_tlm/accelerator/network_timing.h"

namespace scribeline::platforms {

class packet_network final : public sc_core::sc_module, public accelerator::network_timing {
 public:
  struct comparison {
    accelerator::exchange what;
    double simulated_ns = 0;
    double closed_form_ns = 0;
  };

  // `ranks` of the largest group.
  packet_network(const sc_core::sc_module_name& name, const accelerator::scale_up_config& network, std::int64_t ranks);

  // Simulates the exchange unless it is known. Outside of processes, before anything else moves.
  void measure(const accelerator::exchange& what, const std::function<bool()>& stop);

  // Throws std::logic_error for an exchange that was not measured.
  double nanoseconds(const accelerator::exchange& what) override;
  double bytes_sent(const accelerator::exchange& what) override { return forms_.bytes_sent(what); }

  // In order of measurement.
  const std::vector<comparison>& comparisons() const { return comparisons_; }

 private:
  using key = std::tuple<accelerator::opcode, std::uint32_t, double, double, bool>;
  static key key_of(const accelerator::exchange& what);

  // One exchange on the way.
  struct running {
    int ranks = 0;
    std::int64_t part_bytes = 0;  // of one message
    int steps = 1;                // rounds of messages
    bool to_all = true;           // to every other rank, or to the next
    std::vector<int> arrived;     // by rank
    std::int64_t left = 0;        // arrivals until the end
    sc_core::sc_time last;
  };

  void start(const accelerator::exchange& what);
  void send_round(int rank);
  void arrived(int rank, const sue::arrival& a);
  double software_ns(const accelerator::exchange& what) const;

  accelerator::scale_up_config network_;
  network_collectives::closed_form_network forms_;
  scale_up_domain domain_;
  std::map<std::uint32_t, int> groups_;  // of the switch, by number of ranks
  running now_;
  std::map<key, double> known_;
  std::vector<comparison> comparisons_;
};

}  // namespace scribeline::platforms
