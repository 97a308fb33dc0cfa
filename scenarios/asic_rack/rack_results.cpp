#include "scenarios/asic_rack/rack_results.h"

#include <fmt/format.h>

#include <algorithm>

#include "platforms/asic_rack/rack_bounds.h"
#include "scenarios/asic_rack/collective_choices.h"
#include "scenarios/asic_rack/decode_breakdown.h"
#include "scenarios/harness/csv_writer.h"
#include "scenarios/model_serving/fidelity_results.h"
#include "scenarios/model_serving/memory_results.h"
#include "scenarios/model_serving/model_results.h"
#include "scenarios/model_serving/pass_results.h"
#include "scenarios/model_serving/request_results.h"

namespace scribeline::scenarios {

namespace {

using harness::not_measured;

const char* name_of(accelerator::bound_by what) {
  static constexpr const char* names[] = {"starts",          "HBM",    "matrix units", "vector units",
                                          "on-chip network", "network"};
  return names[static_cast<std::size_t>(what)];
}

class reporter {
 public:
  reporter(const platforms::rack_config& config, const platforms::asic_rack& rack, harness::run_context& context)
      : config_(config),
        rack_(rack),
        plan_(rack.plan()),
        requests_(rack.host.records()),
        context_(context),
        metrics_(context.metrics) {}

  void run() {
    headline();
    latencies();
    where_time_goes();
    what_binds();
    show_collective_choices(config_, plan_, context_);
    memory();
    model_and_machine();
    events();
    write_requests(context_.results, rack_.host.records(), "replicas",
                   [this](const auto&) { return config_.spread.data; });
    write_stages();
    write_operations();
  }

 private:
  // From the start to the last token.
  double elapsed_s() const {
    if (!rack_.host.done())
      return sc_core::sc_time_stamp().to_seconds() - static_cast<double>(rack_.host.began_ps()) / ps_per_s;
    return static_cast<double>(requests_.last_token_ps() - rack_.host.began_ps()) / ps_per_s;
  }

  // Sequences of the smallest micro-batch, all replicas together.
  std::uint64_t least_sequences_per_pass() const {
    const std::uint64_t all = config_.sequences_per_replica();
    const std::uint64_t batches = std::min<std::uint64_t>(static_cast<std::uint64_t>(config_.spread.pipeline), all);
    const std::uint64_t each = base::ceil_div(all, batches);
    const std::uint64_t rest = all % each;
    return (rest == 0 ? each : rest) * static_cast<std::uint64_t>(config_.spread.data);
  }

  void headline() {
    const auto least =
        platforms::bound_of_pass(config_, plan_, least_sequences_per_pass(), 1, config_.load.prompt_tokens);
    const auto all = platforms::bound_of_pass(config_, plan_, config_.load.users, 1, config_.load.prompt_tokens);
    const double least_tpot_ms = least.total_ps() / ps_per_ms;
    const double tpot = harness::percentile(requests_.tpot_ms(), 50);
    const double users = static_cast<double>(config_.load.users);
    metrics_.add("tokens_per_s_per_user", 1000 / tpot)
        .unit("tokens/s")
        .headline("tokens/s/user")
        .at_most(1000 / least_tpot_ms, least.binds());
    metrics_.add("output_tokens_per_s", static_cast<double>(rack_.host.tokens_emitted()) / elapsed_s())
        .unit("tokens/s")
        .headline("output tokens/s, all users")
        .at_most(most_tokens_per_s(all, users, least), all.binds());
    requests_.add_tpot(metrics_, {"p50"}, {least_tpot_ms, least.binds()});
    first_tokens();
    power(tpot);
  }

  // Every user's tokens one after the other, or the slowest stage with the whole batch in one pass.
  static double most_tokens_per_s(const platforms::rack_bound& all, double users, const platforms::rack_bound& least) {
    return std::min(users * ps_per_s / least.total_ps(), users * ps_per_s / all.slowest_stage_ps);
  }

  void first_tokens() {
    const std::uint64_t to_compute = config_.load.prompt_tokens - config_.load.cached_tokens;
    const auto bound = platforms::bound_of_pass(config_, plan_, 1, to_compute, config_.load.cached_tokens);
    requests_.add_ttft(metrics_, {"p50"}, {bound.total_ps() / ps_per_ms, bound.binds()});
  }

  // Of the accelerators alone, while they decode.
  void power(double tpot) {
    const auto& chip = config_.accelerator;
    const bool sustained = chip.sustained_power_w > 0;
    const double each = sustained ? chip.sustained_power_w : chip.design_power_w;
    const double watts = each > 0 ? each * static_cast<double>(config_.spread.ranks()) : not_measured;
    metrics_.add("power.accelerators_w", watts).unit("W");
    metrics_.add("power.per_rank", each == 0 ? "not known" : sustained ? "sustained power" : "design power");
    metrics_.add("power.joules_per_token", watts * tpot / 1000 / static_cast<double>(config_.load.users))
        .unit("J")
        .headline(
            fmt::format("J per output token, accelerators at {}", sustained ? "sustained power" : "design power"));
  }

  void latencies() {
    requests_.add_latencies(metrics_, rack_.host.token_gaps_ps());
    metrics_.at("itl_ms.p50").headline("gap between tokens, p50");
    metrics_.add("requests.arrived", static_cast<std::int64_t>(config_.load.users));
    metrics_.add("requests.finished", static_cast<std::int64_t>(requests_.finished()) * config_.spread.data);
    metrics_.add("tokens.output", static_cast<std::int64_t>(rack_.host.tokens_emitted())).unit("tokens");
    metrics_.add("simulated_ms", elapsed_s() * 1e3).unit("ms");
  }

  void where_time_goes() {
    const pass_times us = decode_pass_times(rack_);
    std::vector<pass_part_time> times;
    for (std::size_t i = 0; i < us.size(); ++i)
      times.push_back({pass_parts[i].name, pass_parts[i].label, us[i]});
    report_pass(times, "us", "us per layer", static_cast<double>(config_.model.layers.size()), context_);
  }

  // The share of the decode pass in operations that each resource bounds.
  void what_binds() {
    std::array<double, 6> ns{};
    double whole = 0;
    for (std::size_t s = 0; s < plan_.stages.size(); ++s)
      for (const auto& cost : rack_.meter(s).decode.operations) {
        ns[static_cast<std::size_t>(cost.binds)] += cost.total_ns();
        whole += cost.total_ns();
      }
    std::size_t largest = 0;
    for (std::size_t i = 0; i < ns.size(); ++i) {
      if (ns[i] > ns[largest]) largest = i;
    }
    metrics_.add("binds", whole > 0 ? name_of(static_cast<accelerator::bound_by>(largest)) : "");
    metrics_.add("binds_share", whole > 0 ? ns[largest] / whole : not_measured);
  }

  void memory() {
    std::size_t fullest = 0;
    for (std::size_t s = 1; s < plan_.stages.size(); ++s) {
      if (plan_.stages[s].memory.taken().value() > plan_.stages[fullest].memory.taken().value()) fullest = s;
    }
    const auto& m = plan_.stages[fullest].memory;
    const auto& chip = config_.accelerator;
    memory_results of_rank("hbm", fmt::format("HBM of a rank of stage {}", fullest), base::bytes{chip.hbm_bytes},
                           context_);
    of_rank.row("weights", m.weights);
    of_rank.row("cache", m.cache);
    of_rank.row("reserved", base::bytes{chip.hbm_reserved_bytes});
    of_rank.row("taken", m.taken() + base::bytes{chip.hbm_reserved_bytes});
    of_rank.row("capacity", base::bytes{chip.hbm_bytes});
    of_rank.show(platforms::most_requests(config_, plan_));
  }

  void model_and_machine() {
    add_model_sizes(config_.model.name, plan_.layers, metrics_);
    metrics_.add("machine.ranks", config_.spread.ranks());
    metrics_.add("machine.simulated_ranks", static_cast<std::int64_t>(plan_.stages.size()));
    std::size_t descriptors = 0;
    for (const auto& stage : plan_.stages)
      descriptors += stage.program.descriptors.size();
    metrics_.add("machine.descriptors", static_cast<std::int64_t>(descriptors));
  }

  // Of all ranks: every rank of a group does what its representative does.
  void events() {
    accelerator::operation_cost sum;
    for (const auto& chip : rack_.ranks)
      sum += chip.totals();
    const double ranks = static_cast<double>(config_.spread.group_ranks());
    metrics_.add("events.macs", sum.macs * ranks);
    metrics_.add("events.hbm_bytes", sum.hbm_bytes * ranks).unit("B");
    metrics_.add("events.network_bytes", sum.network_bytes * ranks).unit("B");
  }

  void write_stages() {
    harness::csv_writer file(context_.results, "stages.csv",
                             {"stage", "first", "last", "ranks", "decode_passes", "decode_launch_us",
                              "decode_firmware_us", "decode_waiting_us", "prefill_passes", "prefill_launch_us",
                              "prefill_firmware_us", "prefill_waiting_us", "weights_bytes", "cache_bytes"});
    const auto us = [](std::uint64_t ps, std::uint64_t passes) {
      return passes == 0 ? not_measured : static_cast<double>(ps) / static_cast<double>(passes) / 1e6;
    };
    for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
      const auto& stage = plan_.stages[s];
      const auto& d = rack_.meter(s).decode;
      const auto& p = rack_.meter(s).prefill;
      file.row(s, stage.layers.front().name, stage.layers.back().name, config_.spread.group_ranks(), d.passes,
               us(d.launch_ps, d.passes), us(d.firmware_ps, d.passes), us(d.waiting_ps, d.passes), p.passes,
               us(p.launch_ps, p.passes), us(p.firmware_ps, p.passes), us(p.waiting_ps, p.passes),
               stage.memory.weights.value(), stage.memory.cache.value());
    }
    file.close();
  }

  // The mean decode pass, operation by operation.
  void write_operations() {
    harness::csv_writer file(context_.results, "operations.csv",
                             {"stage", "layer", "operation", "start_ns", "work_ns", "on_chip_ns", "network_ns",
                              "wait_ns", "bound_by", "hbm_bytes", "macs", "network_bytes"});
    for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
      const auto& decode = rack_.meter(s).decode;
      const double passes = static_cast<double>(decode.passes);
      for (std::size_t i = 0; i < decode.operations.size(); ++i) {
        const auto& cost = decode.operations[i];
        const auto& what = plan_.stages[s].program.operations[i];
        file.row(s, what.layer, what.name, cost.start_ns / passes, cost.work_ns / passes, cost.on_chip_ns / passes,
                 cost.network_ns / passes, cost.wait_ns / passes, std::string_view(name_of(cost.binds)),
                 cost.hbm_bytes / passes, cost.macs / passes, cost.network_bytes / passes);
      }
    }
    file.close();
  }

  const platforms::rack_config& config_;
  const platforms::asic_rack& rack_;
  const platforms::rack_plan& plan_;
  request_results requests_;
  harness::run_context& context_;
  harness::metrics& metrics_;
};

}  // namespace

void report(const platforms::rack_config& config, const platforms::asic_rack& rack, harness::run_context& context) {
  reporter(config, rack, context).run();
}

void report_fidelity(const std::vector<platforms::packet_network::comparison>& rows, harness::run_context& context) {
  harness::csv_writer file(context.results, "network_fidelity.csv",
                           {"exchange", "ranks", "bytes", "packet_us", "closed_form_us"});
  fidelity_results fidelity;
  for (const auto& row : rows) {
    file.row(std::string_view(name_of(row.what.op)), row.what.ranks, row.what.bytes, row.simulated_ns / 1000,
             row.closed_form_ns / 1000);
    fidelity.add(row.simulated_ns, row.closed_form_ns);
  }
  file.close();
  fidelity.show("network", "exchanges", "Network fidelity", "exchanges simulated packet by packet", context);
}

}  // namespace scribeline::scenarios
