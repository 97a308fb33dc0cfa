#include "scenarios/wafer_chain/chain_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "firmware_stubs/plan/sizes.h"
#include "firmware_stubs/serving/acceptance.h"
#include "platforms/wafer_chain/bounds.h"
#include "scenarios/harness/csv_writer.h"
#include "scenarios/wafer_chain/placement_results.h"

namespace scribeline::scenarios {

namespace {

constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();
constexpr double ps_per_ms = 1e9;
constexpr double ps_per_us = 1e6;
constexpr double ps_per_s = 1e12;

// The parts of a pass's time, with the name users see and how to read them from a stage.
struct part {
  const char* name;
  const char* label;
  std::uint64_t wafer::pass_statistics::*field;
};
constexpr std::array<part, 7> parts = {{{"fabric", "fabric", &wafer::pass_statistics::fabric_ps},
                                        {"compute", "compute", &wafer::pass_statistics::compute_ps},
                                        {"sram", "SRAM", &wafer::pass_statistics::sram_ps},
                                        {"firmware", "firmware", &wafer::pass_statistics::firmware_ps},
                                        {"link", "off-wafer link", &wafer::pass_statistics::link_ps},
                                        {"handoff", "hand-off on the wafer", &wafer::pass_statistics::handoff_ps},
                                        {"waiting", "waiting for the stage", &wafer::pass_statistics::waiting_ps}}};

double per_pass_us(std::uint64_t ps, std::uint64_t passes) {
  return passes == 0 ? not_measured : static_cast<double>(ps) / static_cast<double>(passes) / ps_per_us;
}

class reporter {
 public:
  reporter(const platforms::chain_config& config, const platforms::wafer_chain& chain, harness::run_context& context)
      : config_(config), chain_(chain), plan_(chain.plan()), context_(context), metrics_(context.metrics) {
    for (const auto& r : chain.host.records()) {
      if (r.finished()) finished_.push_back(&r);
    }
  }

  void run() {
    headline();
    latencies();
    where_time_goes();
    memory();
    links();
    model_and_machine();
    energy();
    write_requests();
    write_stages();
    report_placement(config_, plan_, context_);
  }

 private:
  using record = serving::request_record;

  template <class F>
  std::vector<double> samples(F of) const {
    std::vector<double> values;
    for (const record* r : finished_)
      values.push_back(of(*r));
    return values;
  }

  std::vector<double> tpot_ms() const {
    std::vector<double> values;
    for (const record* r : finished_) {
      if (r->emitted > 1) values.push_back(r->tpot_ps() / ps_per_ms);
    }
    return values;
  }

  // From the start to the last token. The kernel's clock is further: it stops at the end of a polling slice.
  double elapsed_s() const {
    if (!chain_.host.done()) return sc_core::sc_time_stamp().to_seconds();
    std::uint64_t last_ps = 0;
    for (const record* r : finished_)
      last_ps = std::max(last_ps, r->last_token_ps);
    return static_cast<double>(last_ps) / ps_per_s;
  }

  // A pass brings at most every draft and one token more.
  double most_tokens_per_pass() const { return static_cast<double>(config_.load.acceptance.size()) + 1; }

  void headline() {
    const auto bound =
        platforms::bound_of_pass(config_, plan_, config_.load.acceptance.size() + 1, config_.load.prompt_tokens);
    const double least_tpot_ms = bound.total_ps() / most_tokens_per_pass() / ps_per_ms;
    const double tpot = harness::percentile(tpot_ms(), 50);
    metrics_.add("tokens_per_s_per_user", 1000 / tpot)
        .unit("tokens/s")
        .headline("tokens/s/user")
        .at_most(1000 / least_tpot_ms, bound.binds());
    metrics_.add("output_tokens_per_s", static_cast<double>(chain_.host.tokens_emitted()) / elapsed_s())
        .unit("tokens/s")
        .headline("output tokens/s, all users")
        .at_most(most_tokens_per_s(bound), most_tokens_per_s_binds(bound));
    metrics_.add_percentiles("tpot_ms", tpot_ms(), "ms");
    for (const char* p : {"p50", "p90", "p99"}) {
      metrics_.at(fmt::format("tpot_ms.{}", p)).headline(fmt::format("time per output token, {}", p));
      metrics_.at(fmt::format("tpot_ms.{}", p)).at_least(least_tpot_ms, bound.binds());
    }
    first_tokens();
  }

  // One pass at a time in the slowest stage, or every user waiting for its own passes.
  double most_tokens_per_s(const platforms::pass_bound& bound) const {
    const double by_stage = most_tokens_per_pass() * ps_per_s / bound.slowest_stage_ps;
    return std::min(by_stage, by_users(bound));
  }
  double by_users(const platforms::pass_bound& bound) const {
    if (config_.load.arrivals == serving::arrival_process::poisson) return std::numeric_limits<double>::infinity();
    return static_cast<double>(config_.concurrent_requests()) * most_tokens_per_pass() * ps_per_s / bound.total_ps();
  }
  std::string most_tokens_per_s_binds(const platforms::pass_bound& bound) const {
    const double by_stage = most_tokens_per_pass() * ps_per_s / bound.slowest_stage_ps;
    return by_users(bound) < by_stage ? fmt::format("users in flight x {}", bound.binds())
                                      : fmt::format("slowest stage: {}", bound.slowest_stage);
  }

  void first_tokens() {
    // The chunk that completes the prompt crosses every stage once.
    const std::uint64_t to_compute = config_.load.prompt_tokens - config_.load.cached_tokens;
    const std::uint64_t last_chunk = (to_compute - 1) % config_.load.chunk_tokens + 1;
    const auto bound = platforms::bound_of_pass(config_, plan_, 1, config_.load.prompt_tokens - last_chunk);
    metrics_.add_percentiles(
        "ttft_ms", samples([](const record& r) { return static_cast<double>(r.ttft_ps()) / ps_per_ms; }), "ms");
    for (const char* p : {"p50", "p90", "p99"}) {
      metrics_.at(fmt::format("ttft_ms.{}", p)).headline(fmt::format("time to first token, {}", p));
      metrics_.at(fmt::format("ttft_ms.{}", p)).at_least(bound.total_ps() / ps_per_ms, bound.binds());
    }
    const auto mean = [&](const char* name, auto of) {
      const auto values = samples([&](const record& r) { return static_cast<double>(of(r)) / ps_per_ms; });
      double sum = 0;
      for (const double v : values)
        sum += v;
      metrics_.add(name, values.empty() ? not_measured : sum / static_cast<double>(values.size())).unit("ms");
    };
    mean("ttft_part_ms.queue", [](const record& r) { return r.queue_ps(); });
    mean("ttft_part_ms.prefill", [](const record& r) { return r.prefill_ps(); });
    mean("ttft_part_ms.transfer", [](const record& r) { return r.transfer_ps; });
    mean("ttft_part_ms.first_decode", [](const record& r) { return r.first_decode_ps; });
  }

  void latencies() {
    metrics_.add_percentiles(
        "latency_ms", samples([](const record& r) { return static_cast<double>(r.latency_ps()) / ps_per_ms; }), "ms");
    std::vector<double> gaps;
    for (const std::uint64_t gap : chain_.host.token_gaps_ps())
      gaps.push_back(static_cast<double>(gap) / ps_per_ms);
    metrics_.add_percentiles("itl_ms", gaps, "ms");
    metrics_.add("requests.arrived", static_cast<std::int64_t>(chain_.host.records().size()));
    metrics_.add("requests.finished", static_cast<std::int64_t>(chain_.host.finished()));
    metrics_.add("tokens.output", static_cast<std::int64_t>(chain_.host.tokens_emitted())).unit("tokens");
    std::uint64_t passes = 0, decoded = 0;
    for (const auto& r : chain_.host.records()) {
      passes += r.passes;
      decoded += r.emitted > 0 ? r.emitted - 1 : 0;
    }
    metrics_.add("tokens_per_pass", passes ? static_cast<double>(decoded) / static_cast<double>(passes) : not_measured);
    const auto& acceptance = config_.load.acceptance;
    metrics_.add("tokens_per_pass_expected", acceptance.empty() ? not_measured : serving::expected_length(acceptance));
    metrics_.add("draft_us_per_pass", draft_us()).unit("us");
    metrics_.add("simulated_ms", elapsed_s() * 1e3).unit("ms");
  }

  // Of a decode pass, in the stage that makes drafts, the way to it included.
  double draft_us() const {
    const auto& last = chain_.stage(plan_.stages.size() - 1).decode;
    if (plan_.stages.back().layer.what != plan::layer_plan::stage::draft) return not_measured;
    return per_pass_us(last.total_ps(), last.passes);
  }

  // The mean decode pass, host to host, cut into its parts; they add up to it.
  void where_time_goes() {
    harness::text_table table({"part of a decode pass", "us, all stages", "us per stage", "share"});
    for (std::size_t column = 1; column < 4; ++column)
      table.align_right(column);
    std::array<double, parts.size()> sums{};
    double whole = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
        const auto& decode = chain_.stage(s).decode;
        if (decode.passes) sums[i] += per_pass_us(decode.*parts[i].field, decode.passes);
      }
      if (parts[i].field == &wafer::pass_statistics::link_ps && chain_.host.decode_passes()) {
        sums[i] += per_pass_us(chain_.host.decode_return_ps(), chain_.host.decode_passes());
      }
      whole += sums[i];
    }
    const double stages = static_cast<double>(plan_.stages.size());
    std::size_t largest = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (sums[i] > sums[largest]) largest = i;
      metrics_.add(fmt::format("pass_us.{}", parts[i].name), whole > 0 ? sums[i] : not_measured).unit("us");
      table.add_row({parts[i].label, fmt::format("{:.2f}", sums[i]), fmt::format("{:.3f}", sums[i] / stages),
                     fmt::format("{:.1f} %", whole > 0 ? 100 * sums[i] / whole : 0)});
    }
    metrics_.add("pass_us.total", whole > 0 ? whole : not_measured).unit("us");
    metrics_.add("pass_us.largest", whole > 0 ? parts[largest].name : "");
    table.add_row({"together", fmt::format("{:.2f}", whole), fmt::format("{:.3f}", whole / stages), "100.0 %"});
    if (whole > 0)
      context_.show(fmt::format("Where a decode pass spends its time (largest: {})", parts[largest].label), table);
    slowest_stage();
  }

  void slowest_stage() {
    std::size_t slowest = 0;
    double busiest_us = -1, shortest_us = -1;
    for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
      const auto& decode = chain_.stage(s).decode;
      const double busy = per_pass_us(decode.launch_ps() + decode.firmware_ps, decode.passes);
      if (busy > busiest_us) {
        busiest_us = busy;
        slowest = s;
      }
      if (shortest_us < 0 || busy < shortest_us) shortest_us = busy;
    }
    metrics_.add("stage.count", static_cast<std::int64_t>(plan_.stages.size()));
    metrics_.add("stage.slowest", busiest_us < 0 ? "" : plan_.stages[slowest].layer.name);
    metrics_.add("stage.slowest_us", busiest_us < 0 ? not_measured : busiest_us).unit("us");
    metrics_.add("stage.fastest_us", shortest_us < 0 ? not_measured : shortest_us).unit("us");
  }

  void memory() {
    using memory::owner;
    std::size_t fullest = 0;
    for (std::size_t w = 1; w < plan_.wafers; ++w) {
      if (chain_.memory.wafer(w).peak_taken() > chain_.memory.wafer(fullest).peak_taken()) fullest = w;
    }
    const auto& ledger = chain_.memory.wafer(fullest);
    const auto gb = [](base::bytes b) { return static_cast<double>(b.value()) / 1e9; };
    harness::text_table table({"SRAM of the fullest wafer (" + std::to_string(fullest) + ")", "GB", "share"});
    table.align_right(1).align_right(2);
    const auto row = [&](const char* name, base::bytes b) {
      metrics_.add(fmt::format("sram.{}_gb", name), gb(b)).unit("GB");
      table.add_row({name, fmt::format("{:.3f}", gb(b)), fmt::format("{:.1f} %", 100 * gb(b) / gb(ledger.capacity()))});
    };
    row("code", ledger.held(owner::code).peak);
    row("weights", ledger.held(owner::weights).peak);
    row("cache", ledger.held(owner::cache).peak);
    row("state", ledger.held(owner::state).peak);
    row("buffers", ledger.held(owner::buffers).peak);
    row("taken", ledger.peak_taken());
    row("capacity", ledger.capacity());
    metrics_.add("sram.fullest_wafer", static_cast<std::int64_t>(fullest));
    metrics_.add("sram.requests_that_fit", chain_.memory.most_requests());
    context_.show(
        fmt::format("Memory: {} requests of this workload fit beside the weights", chain_.memory.most_requests()),
        table);
  }

  void links() {
    double busiest = 0;
    std::int64_t bytes = 0, bits = 0, frames = 0, stalls = 0;
    double stall_us = 0;
    const auto count = [&](const link::port& p) {
      const auto& s = p.statistics();
      bytes += s.message_bytes_sent;
      bits += s.wire_bits_sent;
      frames += s.frames_sent;
      stalls += s.credit_stalls;
      stall_us += s.credit_stall.to_seconds() * 1e6;
      busiest = std::max(busiest, s.busy.to_seconds() / elapsed_s());
    };
    count(chain_.host.to_chain);
    for (const auto& w : chain_.wafers)
      count(w.downstream);
    metrics_.add("link.count", static_cast<std::int64_t>(plan_.wafers) + 1);
    metrics_.add("link.busiest_utilisation", busiest);
    metrics_.add("link.bytes", bytes).unit("B");
    metrics_.add("link.wire_bits", bits).unit("bit");
    metrics_.add("link.frames", frames);
    metrics_.add("link.credit_stalls", stalls);
    metrics_.add("link.credit_stall_us", stall_us).unit("us");
  }

  void model_and_machine() {
    std::vector<plan::layer_plan> layers;
    for (const auto& site : plan_.stages)
      layers.push_back(site.layer);
    metrics_.add("model.name", config_.model.name);
    metrics_.add("model.parameters", static_cast<std::int64_t>(plan::total_parameters(layers)));
    metrics_.add("model.active_parameters", static_cast<std::int64_t>(plan::active_parameters_per_token(layers)));
    metrics_.add("model.weight_bytes", plan::weight_bytes(layers).value()).unit("B");
    metrics_.add("model.cache_bytes_per_token", plan::cache_bytes_per_token(layers)).unit("B");
    metrics_.add("machine.wafers", static_cast<std::int64_t>(plan_.wafers));
    metrics_.add("machine.layers_per_wafer", plan_.layers_per_wafer);
  }

  void energy() {
    double macs = 0, sram = 0, hops = 0;
    for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
      macs += chain_.stage(s).macs;
      sram += chain_.stage(s).sram_bytes;
      hops += chain_.stage(s).word_hops;
    }
    metrics_.add("events.macs", macs);
    metrics_.add("events.sram_bytes", sram).unit("B");
    metrics_.add("events.word_hops", hops);
  }

  void write_requests() {
    harness::csv_writer file(
        context_.results, "requests.csv",
        {"request", "arrival_ms", "prompt_tokens", "output_tokens", "emitted", "passes", "queue_ms", "prefill_ms",
         "transfer_ms", "first_decode_ms", "ttft_ms", "tpot_ms", "latency_ms"});
    const auto ms = [](double ps) { return ps / ps_per_ms; };
    for (const auto& r : chain_.host.records()) {
      const bool first = r.emitted > 0;
      const auto if_first = [&](std::uint64_t ps) { return first ? ms(static_cast<double>(ps)) : not_measured; };
      file.row(r.what.id, ms(static_cast<double>(r.arrival_ps)), r.what.prompt_tokens, r.what.output_tokens, r.emitted,
               r.passes, if_first(r.queue_ps()), if_first(r.prefill_ps()), if_first(r.transfer_ps),
               if_first(r.first_decode_ps), if_first(r.ttft_ps()), r.emitted > 1 ? ms(r.tpot_ps()) : not_measured,
               if_first(r.latency_ps()));
    }
    file.close();
  }

  void write_stages() {
    std::vector<std::string> columns = {"stage",       "name",          "wafer",        "region_columns",
                                        "region_rows", "expert_groups", "decode_passes"};
    for (const auto& p : parts)
      columns.push_back(fmt::format("decode_{}_us", p.name));
    columns.push_back("prefill_passes");
    for (const auto& p : parts)
      columns.push_back(fmt::format("prefill_{}_us", p.name));
    for (const char* name : {"weights_bytes", "cache_peak_bytes", "state_peak_bytes", "buffers_bytes", "queue_peak"}) {
      columns.emplace_back(name);
    }
    harness::csv_writer file(context_.results, "stages.csv", columns);
    for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
      const auto& site = plan_.stages[s];
      const auto& d = chain_.stage(s).decode;
      const auto& p = chain_.stage(s).prefill;
      const auto us = [](const wafer::pass_statistics& of, std::size_t i) {
        return per_pass_us(of.*parts[i].field, of.passes);
      };
      using memory::owner;
      file.row(s, site.layer.name, site.wafer, site.placed.map.region.columns, site.placed.map.region.rows,
               site.placed.map.groups(), d.passes, us(d, 0), us(d, 1), us(d, 2), us(d, 3), us(d, 4), us(d, 5), us(d, 6),
               p.passes, us(p, 0), us(p, 1), us(p, 2), us(p, 3), us(p, 4), us(p, 5), us(p, 6),
               chain_.memory.held(s, owner::weights).held.value(), chain_.memory.held(s, owner::cache).peak.value(),
               chain_.memory.held(s, owner::state).peak.value(), chain_.memory.held(s, owner::buffers).held.value(),
               chain_.stage(s).queue_peak);
    }
    file.close();
  }

  const platforms::chain_config& config_;
  const platforms::wafer_chain& chain_;
  const platforms::chain_plan& plan_;
  harness::run_context& context_;
  harness::metrics& metrics_;
  std::vector<const record*> finished_;
};

}  // namespace

void report(const platforms::chain_config& config, const platforms::wafer_chain& chain, harness::run_context& context) {
  reporter(config, chain, context).run();
}

}  // namespace scribeline::scenarios
