#include "scenarios/model_serving/request_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace scribeline::scenarios {

namespace {

void show(harness::metrics& metrics, const std::string& name, const std::string& label,
          const std::vector<std::string>& shown, const least_latency& least) {
  for (const auto& p : shown)
    metrics.at(fmt::format("{}.{}", name, p)).headline(fmt::format("{}, {}", label, p)).at_least(least.ms, least.binds);
}

}  // namespace

request_results::request_results(const std::vector<serving::request_record>& records) {
  for (const auto& r : records) {
    if (r.finished()) finished_.push_back(&r);
  }
}

template <class F>
std::vector<double> request_results::samples_ms(F ps_of) const {
  std::vector<double> values;
  values.reserve(finished_.size());
  for (const record* r : finished_)
    values.push_back(static_cast<double>(ps_of(*r)) / ps_per_ms);
  return values;
}

template <class F>
void request_results::add_mean(harness::metrics& metrics, const char* name, F ps_of) const {
  const auto values = samples_ms(ps_of);
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  metrics.add(name, values.empty() ? harness::not_measured : sum / static_cast<double>(values.size())).unit("ms");
}

std::vector<double> request_results::tpot_ms() const {
  std::vector<double> values;
  for (const record* r : finished_) {
    if (r->emitted > 1) values.push_back(r->tpot_ps() / ps_per_ms);
  }
  return values;
}

std::uint64_t request_results::last_token_ps() const {
  std::uint64_t last_ps = 0;
  for (const record* r : finished_)
    last_ps = std::max(last_ps, r->last_token_ps);
  return last_ps;
}

void request_results::add_tpot(harness::metrics& metrics, const std::vector<std::string>& shown,
                               const least_latency& least) const {
  metrics.add_percentiles("tpot_ms", tpot_ms(), "ms");
  show(metrics, "tpot_ms", "time per output token", shown, least);
}

void request_results::add_ttft(harness::metrics& metrics, const std::vector<std::string>& shown,
                               const least_latency& least) const {
  metrics.add_percentiles("ttft_ms", samples_ms([](const record& r) { return r.ttft_ps(); }), "ms");
  show(metrics, "ttft_ms", "time to first token", shown, least);
  add_mean(metrics, "ttft_part_ms.queue", [](const record& r) { return r.queue_ps(); });
  add_mean(metrics, "ttft_part_ms.prefill", [](const record& r) { return r.prefill_ps(); });
  add_mean(metrics, "ttft_part_ms.transfer", [](const record& r) { return r.transfer_ps; });
  add_mean(metrics, "ttft_part_ms.first_decode", [](const record& r) { return r.first_decode_ps; });
}

void request_results::add_latencies(harness::metrics& metrics, const std::vector<std::uint64_t>& token_gaps_ps) const {
  metrics.add_percentiles("latency_ms", samples_ms([](const record& r) { return r.latency_ps(); }), "ms");
  std::vector<double> gaps;
  gaps.reserve(token_gaps_ps.size());
  for (const std::uint64_t gap : token_gaps_ps)
    gaps.push_back(static_cast<double>(gap) / ps_per_ms);
  metrics.add_percentiles("itl_ms", gaps, "ms");
}

}  // namespace scribeline::scenarios
