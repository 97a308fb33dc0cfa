#include "scenarios/wafer_chain/chain_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "firmware_stubs/serving/acceptance.h"
#include "platforms/wafer_chain/bounds.h"
#include "scenarios/harness/csv_writer.h"
#include "scenarios/model_serving/fidelity_results.h"
#include "scenarios/model_serving/memory_results.h"
#include "scenarios/model_serving/model_results.h"
#include "scenarios/model_serving/request_results.h"
#include "scenarios/wafer_chain/placement_results.h"
#include "scenarios/wafer_chain/stage_results.h"

namespace scribeline::scenarios {

namespace {

using harness::not_measured;

const std::vector<std::string> shown_percentiles = {"p50", "p90", "p99"};

class reporter {
 public:
  reporter(const platforms::chain_config& config, const platforms::wafer_chain& chain, harness::run_context& context)
      : config_(config),
        chain_(chain),
        plan_(chain.plan()),
        requests_(chain.host.records()),
        context_(context),
        metrics_(context.metrics) {}

  void run() {
    headline();
    latencies();
    report_passes(chain_, context_);
    memory();
    links();
    model_and_machine();
    energy();
    write_requests(context_.results, chain_.host.records(), "arrival_ms",
                   [](const auto& r) { return static_cast<double>(r.arrival_ps) / ps_per_ms; });
    write_stages(chain_, context_);
    report_placement(config_, plan_, context_);
  }

 private:
  // From the start to the last token. The kernel's clock is further: it stops at the end of a polling slice.
  double elapsed_s() const {
    if (!chain_.host.done()) return sc_core::sc_time_stamp().to_seconds();
    return static_cast<double>(requests_.last_token_ps()) / ps_per_s;
  }

  // A pass brings at most every draft and one token more.
  double most_tokens_per_pass() const { return static_cast<double>(config_.load.acceptance.size()) + 1; }

  void headline() {
    const auto bound =
        platforms::bound_of_pass(config_, plan_, config_.load.acceptance.size() + 1, config_.load.prompt_tokens);
    const double least_tpot_ms = bound.total_ps() / most_tokens_per_pass() / ps_per_ms;
    const double tpot = harness::percentile(requests_.tpot_ms(), 50);
    metrics_.add("tokens_per_s_per_user", 1000 / tpot)
        .unit("tokens/s")
        .headline("tokens/s/user")
        .at_most(1000 / least_tpot_ms, bound.binds());
    metrics_.add("output_tokens_per_s", static_cast<double>(chain_.host.tokens_emitted()) / elapsed_s())
        .unit("tokens/s")
        .headline("output tokens/s, all users")
        .at_most(most_tokens_per_s(bound), most_tokens_per_s_binds(bound));
    requests_.add_tpot(metrics_, shown_percentiles, {least_tpot_ms, bound.binds()});
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
    requests_.add_ttft(metrics_, shown_percentiles, {bound.total_ps() / ps_per_ms, bound.binds()});
  }

  void latencies() {
    requests_.add_latencies(metrics_, chain_.host.token_gaps_ps());
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

  void memory() {
    using memory::owner;
    std::size_t fullest = 0;
    for (std::size_t w = 1; w < plan_.wafers; ++w) {
      if (chain_.memory.wafer(w).peak_taken() > chain_.memory.wafer(fullest).peak_taken()) fullest = w;
    }
    const auto& ledger = chain_.memory.wafer(fullest);
    memory_results of_fullest("sram", fmt::format("SRAM of the fullest wafer ({})", fullest), ledger.capacity(),
                              context_);
    of_fullest.row("code", ledger.held(owner::code).peak);
    of_fullest.row("weights", ledger.held(owner::weights).peak);
    of_fullest.row("cache", ledger.held(owner::cache).peak);
    of_fullest.row("state", ledger.held(owner::state).peak);
    of_fullest.row("buffers", ledger.held(owner::buffers).peak);
    of_fullest.row("taken", ledger.peak_taken());
    of_fullest.row("capacity", ledger.capacity());
    metrics_.add("sram.fullest_wafer", static_cast<std::int64_t>(fullest));
    of_fullest.show(chain_.memory.most_requests());
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
    add_model_sizes(config_.model.name, layers, metrics_);
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

  const platforms::chain_config& config_;
  const platforms::wafer_chain& chain_;
  const platforms::chain_plan& plan_;
  request_results requests_;
  harness::run_context& context_;
  harness::metrics& metrics_;
};

}  // namespace

void report(const platforms::chain_config& config, const platforms::wafer_chain& chain, harness::run_context& context) {
  reporter(config, chain, context).run();
}

}  // namespace scribeline::scenarios
