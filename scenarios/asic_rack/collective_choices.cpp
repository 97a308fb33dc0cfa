#include "scenarios/asic_rack/collective_choices.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "firmware_stubs/network_collectives/dense_collectives.h"
#include "firmware_stubs/network_collectives/expert_routing.h"
#include "firmware_stubs/network_collectives/token_exchange.h"
#include "scenarios/harness/csv_writer.h"

namespace scribeline::scenarios {

namespace {

using accelerator::opcode;

struct choice {
  std::string chosen;
  double ns = 0;
  std::string others;
};

choice dense_choice(const accelerator::scale_up_config& network, opcode op, std::int64_t ranks, double bytes) {
  const auto options = op == opcode::all_reduce ? network_collectives::all_reduce_options(network, ranks, bytes)
                                                : network_collectives::gather_options(network, ranks, bytes);
  const auto best = network_collectives::fastest(options);
  choice c{network_collectives::to_string(best.how), best.ns, ""};
  for (const auto& o : options) {
    if (o.how != best.how)
      c.others += fmt::format("{}{} {:.2f} us", c.others.empty() ? "" : ", ", network_collectives::to_string(o.how),
                              o.ns / 1000);
  }
  return c;
}

choice exchange_choice(const accelerator::scale_up_config& network, opcode op,
                       const network_collectives::token_load& load) {
  const auto& library = network_collectives::fastest_library(network, load);
  const auto name = [&](const accelerator::token_exchange_config& of) {
    return &of == &network.two_sided ? "two-sided" : "one-sided";
  };
  const auto time = [&](const accelerator::token_exchange_config& of) {
    return op == opcode::combine
               ? network_collectives::combine_ns(network, of, load)
               : network_collectives::prepare_ns(of, load) + network_collectives::dispatch_ns(network, of, load);
  };
  choice c{name(library), time(library), ""};
  const auto& other = &library == &network.two_sided ? network.one_sided : network.two_sided;
  if (other.exists()) c.others = fmt::format("{} {:.2f} us", name(other), time(other) / 1000);
  return c;
}

}  // namespace

const char* name_of(opcode op) {
  switch (op) {
    case opcode::all_reduce:
      return "all-reduce";
    case opcode::all_gather:
      return "all-gather";
    case opcode::reduce_scatter:
      return "reduce-scatter";
    case opcode::dispatch:
      return "dispatch";
    case opcode::combine:
      return "combine";
    default:
      return "";
  }
}

void show_collective_choices(const platforms::rack_config& config, const platforms::rack_plan& plan,
                             harness::run_context& context) {
  const std::uint64_t sequences = base::ceil_div(
      config.sequences_per_replica(),
      std::min<std::uint64_t>(static_cast<std::uint64_t>(config.spread.pipeline), config.sequences_per_replica()));
  // Exchanges that are alike, in order of first appearance, and how many a pass has.
  std::map<std::tuple<opcode, std::uint32_t, std::uint32_t>, std::size_t> seen;
  std::vector<std::pair<accelerator::descriptor, int>> kinds;
  for (const auto& stage : plan.stages)
    for (const auto& d : stage.program.descriptors) {
      if (!accelerator::is_exchange(d.op) || d.ranks <= 1) continue;
      const auto [at, is_new] = seen.emplace(std::make_tuple(d.op, d.ranks, d.input_bytes), kinds.size());
      if (is_new) kinds.emplace_back(d, 0);
      ++kinds[at->second].second;
    }
  harness::csv_writer file(context.results, "collectives.csv",
                           {"collective", "ranks", "bytes", "per_pass", "chosen", "us", "others"});
  harness::text_table table({"exchange", "per pass", "ranks", "bytes", "chosen", "us", "instead of"});
  for (const std::size_t column : {1, 2, 3, 5})
    table.align_right(column);
  for (const auto& [d, times] : kinds) {
    const bool of_experts = d.op == opcode::dispatch || d.op == opcode::combine;
    double bytes = static_cast<double>(d.input_bytes) * static_cast<double>(sequences);
    choice c;
    if (of_experts) {
      const auto shape = plan.stages.back().program.experts;
      network_collectives::expert_routing routing(shape->experts, shape->top_k, d.ranks, config.expert_skew,
                                                  config.seed);
      const double copies = routing.load(sequences * static_cast<std::uint64_t>(config.spread.data)).busiest_copies;
      bytes = d.input_bytes * copies;
      c = exchange_choice(config.accelerator.network, d.op,
                          {d.ranks, static_cast<double>(sequences), bytes, d.round_trip_bytes * copies,
                           (d.flags & accelerator::flag::low_precision) != 0});
    } else {
      c = dense_choice(config.accelerator.network, d.op, d.ranks, bytes);
    }
    file.row(std::string_view(name_of(d.op)), d.ranks, bytes, times, c.chosen, c.ns / 1000, c.others);
    table.add_row({name_of(d.op), std::to_string(times), std::to_string(d.ranks), fmt::format("{:.0f}", bytes),
                   c.chosen, fmt::format("{:.2f}", c.ns / 1000), c.others});
  }
  file.close();
  if (table.rows() > 0) context.show("Exchanges of a decode pass", table);
}

}  // namespace scribeline::scenarios
