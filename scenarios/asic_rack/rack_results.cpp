#include "scenarios/asic_rack/rack_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "firmware_stubs/plan/sizes.h"
#include "platforms/asic_rack/rack_bounds.h"
#include "scenarios/asic_rack/collective_choices.h"
#include "scenarios/asic_rack/decode_breakdown.h"
#include "scenarios/harness/csv_writer.h"

namespace scribeline::scenarios {

namespace {

constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();
constexpr double ps_per_ms = 1e9;
constexpr double ps_per_s = 1e12;

const char* name_of(accelerator::bound_by what) {
  static constexpr const char* names[] = {"starts",          "HBM",    "matrix units", "vector units",
                                          "on-chip network", "network"};
  return names[static_cast<std::size_t>(what)];
}

class reporter {
 public:
  reporter(const platforms::rack_config& config, const platforms::asic_rack& rack, harness::run_context& context)
      : config_(config), rack_(rack), plan_(rack.plan()), context_(context), metrics_(context.metrics) {
    for (const auto& r : rack.host.records()) {
      if (r.finished()) finished_.push_back(&r);
    }
  }

  void run() {
    headline();
    latencies();
    where_time_goes();
    what_binds();
    show_collective_choices(config_, plan_, context_);
    memory();
    model_and_machine();
    events();
    write_requests();
    write_stages();
    write_operations();
  }

 private:
  using record = serving::request_record;

  template <class F>
  std::vector<double> samples(F of) const {
    std::vector<double> values;
    for (const record* r : finished_)
      values.push_back(of(*r) / ps_per_ms);
    return values;
  }

  std::vector<double> tpot_ms() const {
    std::vector<double> values;
    for (const record* r : finished_) {
      if (r->emitted > 1) values.push_back(r->tpot_ps() / ps_per_ms);
    }
    return values;
  }

  // From the start to the last token.
  double elapsed_s() const {
    if (!rack_.host.done())
      return sc_core::sc_time_stamp().to_seconds() - static_cast<double>(rack_.host.began_ps()) / ps_per_s;
    std::uint64_t last_ps = 0;
    for (const record* r : finished_)
      last_ps = std::max(last_ps, r->last_token_ps);
    return static_cast<double>(last_ps - rack_.host.began_ps()) / ps_per_s;
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
    const double tpot = harness::percentile(tpot_ms(), 50);
    const double users = static_cast<double>(config_.load.users);
    metrics_.add("tokens_per_s_per_user", 1000 / tpot)
        .unit("tokens/s")
        .headline("tokens/s/user")
        .at_most(1000 / least_tpot_ms, least.binds());
    metrics_.add("output_tokens_per_s", static_cast<double>(rack_.host.tokens_emitted()) / elapsed_s())
        .unit("tokens/s")
        .headline("output tokens/s, all users")
        .at_most(most_tokens_per_s(all, users, least), all.binds());
    metrics_.add_percentiles("tpot_ms", tpot_ms(), "ms");
    metrics_.at("tpot_ms.p50").headline("time per output token, p50").at_least(least_tpot_ms, least.binds());
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
    metrics_.add_percentiles("ttft_ms", samples([](const record& r) { return static_cast<double>(r.ttft_ps()); }),
                             "ms");
    metrics_.at("ttft_ms.p50")
        .headline("time to first token, p50")
        .at_least(bound.total_ps() / ps_per_ms, bound.binds());
    const auto mean = [&](const char* name, auto of) {
      const auto values = samples([&](const record& r) { return static_cast<double>(of(r)); });
      const double sum = std::accumulate(values.begin(), values.end(), 0.0);
      metrics_.add(name, values.empty() ? not_measured : sum / static_cast<double>(values.size())).unit("ms");
    };
    mean("ttft_part_ms.queue", [](const record& r) { return r.queue_ps(); });
    mean("ttft_part_ms.prefill", [](const record& r) { return r.prefill_ps(); });
    mean("ttft_part_ms.transfer", [](const record& r) { return r.transfer_ps; });
    mean("ttft_part_ms.first_decode", [](const record& r) { return r.first_decode_ps; });
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
    metrics_.add_percentiles("latency_ms", samples([](const record& r) { return static_cast<double>(r.latency_ps()); }),
                             "ms");
    std::vector<double> gaps;
    for (const std::uint64_t gap : rack_.host.token_gaps_ps())
      gaps.push_back(static_cast<double>(gap) / ps_per_ms);
    metrics_.add_percentiles("itl_ms", gaps, "ms");
    metrics_.at("itl_ms.p50").headline("gap between tokens, p50");
    metrics_.add("requests.arrived", static_cast<std::int64_t>(config_.load.users));
    metrics_.add("requests.finished", static_cast<std::int64_t>(finished_.size()) * config_.spread.data);
    metrics_.add("tokens.output", static_cast<std::int64_t>(rack_.host.tokens_emitted())).unit("tokens");
    metrics_.add("simulated_ms", elapsed_s() * 1e3).unit("ms");
  }

  void where_time_goes() {
    const pass_times us = decode_pass_times(rack_);
    const double whole = std::accumulate(us.begin(), us.end(), 0.0);
    const double layers = static_cast<double>(config_.model.layers.size());
    harness::text_table table({"part of a decode pass", "us", "us per layer", "share"});
    for (std::size_t column = 1; column < 4; ++column)
      table.align_right(column);
    std::size_t largest = 0;
    for (std::size_t i = 0; i < us.size(); ++i) {
      if (us[i] > us[largest]) largest = i;
      metrics_.add(fmt::format("pass_us.{}", pass_parts[i].name), whole > 0 ? us[i] : not_measured).unit("us");
      table.add_row({pass_parts[i].label, fmt::format("{:.2f}", us[i]), fmt::format("{:.3f}", us[i] / layers),
                     fmt::format("{:.1f} %", whole > 0 ? 100 * us[i] / whole : 0)});
    }
    metrics_.add("pass_us.total", whole > 0 ? whole : not_measured).unit("us");
    metrics_.add("pass_us.largest", whole > 0 ? pass_parts[largest].name : "");
    table.add_row({"together", fmt::format("{:.2f}", whole), fmt::format("{:.3f}", whole / layers), "100.0 %"});
    if (whole > 0)
      context_.show(fmt::format("Where a decode pass spends its time (largest: {})", pass_parts[largest].label), table);
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
    const double capacity = static_cast<double>(chip.hbm_bytes) / 1e9;
    harness::text_table table({fmt::format("HBM of a rank of stage {}", fullest), "GB", "share"});
    table.align_right(1).align_right(2);
    const auto row = [&](const char* name, std::int64_t bytes) {
      const double gb = static_cast<double>(bytes) / 1e9;
      metrics_.add(fmt::format("hbm.{}_gb", name), gb).unit("GB");
      table.add_row({name, fmt::format("{:.3f}", gb), fmt::format("{:.1f} %", 100 * gb / capacity)});
    };
    row("weights", m.weights.value());
    row("cache", m.cache.value());
    row("reserved", chip.hbm_reserved_bytes);
    row("taken", m.taken().value() + chip.hbm_reserved_bytes);
    row("capacity", chip.hbm_bytes);
    const std::int64_t most = platforms::most_requests(config_, plan_);
    metrics_.add("hbm.requests_that_fit", most);
    context_.show(fmt::format("Memory: {} requests of this workload fit beside the weights", most), table);
  }

  void model_and_machine() {
    metrics_.add("model.name", config_.model.name);
    metrics_.add("model.parameters", static_cast<std::int64_t>(plan::total_parameters(plan_.layers)));
    metrics_.add("model.active_parameters", static_cast<std::int64_t>(plan::active_parameters_per_token(plan_.layers)));
    metrics_.add("model.weight_bytes", plan::weight_bytes(plan_.layers).value()).unit("B");
    metrics_.add("model.cache_bytes_per_token", plan::cache_bytes_per_token(plan_.layers)).unit("B");
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

  void write_requests() {
    harness::csv_writer file(context_.results, "requests.csv",
                             {"request", "replicas", "prompt_tokens", "output_tokens", "emitted", "passes", "queue_ms",
                              "prefill_ms", "transfer_ms", "first_decode_ms", "ttft_ms", "tpot_ms", "latency_ms"});
    const auto ms = [](double ps) { return ps / ps_per_ms; };
    for (const auto& r : rack_.host.records()) {
      const auto if_first = [&](std::uint64_t ps) {
        return r.emitted > 0 ? ms(static_cast<double>(ps)) : not_measured;
      };
      file.row(r.what.id, config_.spread.data, r.what.prompt_tokens, r.what.output_tokens, r.emitted, r.passes,
               if_first(r.queue_ps()), if_first(r.prefill_ps()), if_first(r.transfer_ps), if_first(r.first_decode_ps),
               if_first(r.ttft_ps()), r.emitted > 1 ? ms(r.tpot_ps()) : not_measured, if_first(r.latency_ps()));
    }
    file.close();
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
  harness::run_context& context_;
  harness::metrics& metrics_;
  std::vector<const record*> finished_;
};

}  // namespace

void report(const platforms::rack_config& config, const platforms::asic_rack& rack, harness::run_context& context) {
  reporter(config, rack, context).run();
}

void report_fidelity(const std::vector<platforms::packet_network::comparison>& rows, harness::run_context& context) {
  harness::csv_writer file(context.results, "network_fidelity.csv",
                           {"exchange", "ranks", "bytes", "packet_us", "closed_form_us"});
  double sum = 0, worst = 0;
  for (const auto& row : rows) {
    file.row(std::string_view(name_of(row.what.op)), row.what.ranks, row.what.bytes, row.simulated_ns / 1000,
             row.closed_form_ns / 1000);
    const double difference = row.simulated_ns / row.closed_form_ns - 1;
    sum += difference;
    if (std::abs(difference) > std::abs(worst)) worst = difference;
  }
  file.close();
  const double mean = rows.empty() ? not_measured : sum / static_cast<double>(rows.size());
  context.metrics.add("network.simulated_exchanges", static_cast<std::int64_t>(rows.size()));
  context.metrics.add("network.over_closed_form_mean", mean);
  context.metrics.add("network.over_closed_form_worst", worst);
  harness::text_table table({"exchanges simulated packet by packet", "mean over closed form", "worst"});
  table.align_right(0).align_right(1).align_right(2);
  table.add_row(
      {std::to_string(rows.size()), fmt::format("{:+.1f} %", 100 * mean), fmt::format("{:+.1f} %", 100 * worst)});
  context.show("Network fidelity", table);
}

}  // namespace scribeline::scenarios
