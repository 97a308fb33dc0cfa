#include "platforms/asic_rack/packet_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "rtl_tlm/base/error.h"
#include "rtl_tlm/base/units.h"

namespace scribeline::platforms {

namespace {

using accelerator::exchange;
using accelerator::opcode;
using network_collectives::algorithm;

const sc_core::sc_time slice(1, sc_core::SC_MS);

scale_up_config domain_config(const accelerator::scale_up_config& network, std::int64_t ranks) {
  if (network.planes == 0) {
    throw base::bad_input(
        "--fidelity packet: machine.accelerator.network.planes = 0: this chip's network is no scale-up Ethernet; take "
        "--fidelity formula");
  }
  scale_up_config c;
  c.ranks = static_cast<int>(ranks);
  c.planes = static_cast<int>(network.planes);
  c.port_gbps = network.gbytes_per_s * 8 / static_cast<double>(network.planes);
  latency_parts parts = twinax_3m;
  parts.cable_ns_per_m = 0;
  const double rest_ns = network.one_way_ns - parts.one_way_ns();
  if (rest_ns < 0) {
    throw base::bad_input(fmt::format(
        "--fidelity packet: machine.accelerator.network.one_way_ns = {}: bridges, PHYs and switch alone take {} ns",
        network.one_way_ns, parts.one_way_ns()));
  }
  parts.cable_ns_per_m = rest_ns / (2 * parts.cable_m);
  c.latency = parts;
  const std::string problem = c.problem();
  if (!problem.empty()) throw base::bad_input("--fidelity packet: " + problem);
  return c;
}

bool is_of_experts(opcode op) {
  return op == opcode::dispatch || op == opcode::combine;
}

algorithm chosen(const accelerator::scale_up_config& network, const exchange& what) {
  if (is_of_experts(what.op)) return algorithm::direct;
  return what.op == opcode::all_reduce ? network_collectives::best_all_reduce(network, what.ranks, what.bytes).how
                                       : network_collectives::best_gather(network, what.ranks, what.bytes).how;
}

}  // namespace

packet_network::packet_network(const sc_core::sc_module_name& name, const accelerator::scale_up_config& network,
                               std::int64_t ranks)
    : sc_module(name),
      network_(network),
      forms_(network),
      domain_("domain", domain_config(network, std::max<std::int64_t>(2, ranks))) {
  for (int r = 0; r < domain_.ranks(); ++r)
    domain_.rank(r).on_arrival([this, r](const sue::arrival& a) { arrived(r, a); });
  groups_[static_cast<std::uint32_t>(domain_.ranks())] = scale_up_domain::everybody;
  for (int n = 2; network.reduces_in_switch && n < domain_.ranks(); ++n) {
    std::vector<int> members(static_cast<std::size_t>(n));
    std::iota(members.begin(), members.end(), 0);
    groups_[static_cast<std::uint32_t>(n)] = domain_.add_group(members);
  }
}

packet_network::key packet_network::key_of(const exchange& what) {
  // Software counts tokens of exchanges between experts only.
  return {what.op, what.ranks, what.bytes, is_of_experts(what.op) ? what.tokens : 0, what.low_precision};
}

void packet_network::measure(const exchange& what, const std::function<bool()>& stop) {
  if (what.ranks <= 1 || known_.count(key_of(what))) return;
  const sc_core::sc_time began = sc_core::sc_time_stamp();
  start(what);
  domain_.run(slice, stop);
  if (now_.left != 0 && !stop()) {
    throw base::no_progress(fmt::format("an exchange of {} ranks waits for {} arrivals:\n{}", what.ranks, now_.left,
                                        domain_.why_blocked()));
  }
  const double ns = software_ns(what) + base::to_picoseconds(now_.last - began) / 1000;
  known_[key_of(what)] = ns;
  comparisons_.push_back({what, ns, forms_.nanoseconds(what)});
}

void packet_network::start(const exchange& what) {
  const int n = static_cast<int>(what.ranks);
  const algorithm how = chosen(network_, what);
  now_ = {};
  now_.ranks = n;
  now_.arrived.assign(static_cast<std::size_t>(domain_.ranks()), 0);
  const auto part = [&](double of) { return std::max<std::int64_t>(1, std::llround(what.bytes / of)); };
  if (how == algorithm::in_network) {
    now_.left = n;
    for (int r = 0; r < n; ++r)
      domain_.rank(r).all_reduce(groups_.at(what.ranks), base::bytes{part(1)}, 0, 1);
    return;
  }
  now_.to_all = how != algorithm::ring;
  now_.steps = how == algorithm::two_shot      ? 2
               : how != algorithm::ring        ? 1
               : what.op == opcode::all_reduce ? 2 * (n - 1)
                                               : n - 1;
  now_.part_bytes = how == algorithm::one_shot ? part(1) : is_of_experts(what.op) ? part(n - 1) : part(n);
  now_.left = std::int64_t{n} * now_.steps * (now_.to_all ? n - 1 : 1);
  for (int r = 0; r < n; ++r)
    send_round(r);
}

// Ranks begin with their neighbour, so that no receiver is everybody's first.
void packet_network::send_round(int rank) {
  const int messages = now_.to_all ? now_.ranks - 1 : 1;
  for (int i = 1; i <= messages; ++i)
    domain_.rank(rank).send((rank + i) % now_.ranks, base::bytes{now_.part_bytes});
}

void packet_network::arrived(int rank, const sue::arrival&) {
  --now_.left;
  now_.last = sc_core::sc_time_stamp();
  const int round = now_.to_all ? now_.ranks - 1 : 1;
  const int count = ++now_.arrived[static_cast<std::size_t>(rank)];
  if (count % round == 0 && count / round < now_.steps) send_round(rank);
}

double packet_network::software_ns(const exchange& what) const {
  if (is_of_experts(what.op)) {
    const network_collectives::token_load load{what.ranks, what.tokens, 0, what.round_trip_bytes, what.low_precision};
    const auto& library = network_collectives::fastest_library(network_, load);
    const double whole = what.op == opcode::combine ? network_collectives::combine_ns(network_, library, load)
                                                    : network_collectives::prepare_ns(library, load) +
                                                          network_collectives::dispatch_ns(network_, library, load);
    return whole - network_.one_way_ns;
  }
  const algorithm how = chosen(network_, what);
  const bool one_phase = how == algorithm::one_shot || how == algorithm::direct;
  return network_.start_ns + (one_phase ? 0 : network_.phase_ns);
}

double packet_network::nanoseconds(const exchange& what) {
  if (what.ranks <= 1) return 0;
  const auto known = known_.find(key_of(what));
  if (known == known_.end()) throw std::logic_error("an exchange of the rack was not simulated before it started");
  return known->second;
}

}  // namespace scribeline::platforms
