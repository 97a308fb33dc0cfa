// What a run tells about its requests: latencies as their users see them, and requests.csv.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware_stubs/serving/request.h"
#include "scenarios/harness/csv_writer.h"
#include "scenarios/harness/metrics.h"

namespace scribeline::scenarios {

inline constexpr double ps_per_ms = 1e9;
inline constexpr double ps_per_us = 1e6;
inline constexpr double ps_per_s = 1e12;

// The least that a latency can be, and what sets it.
struct least_latency {
  double ms = 0;
  std::string binds;
};

// The requests of a run, of which those that are finished count. `records` outlives this.
class request_results {
 public:
  explicit request_results(const std::vector<serving::request_record>& records);

  std::size_t finished() const { return finished_.size(); }
  // Of requests with more than one token.
  std::vector<double> tpot_ms() const;
  // When the last token of all was at the host.
  std::uint64_t last_token_ps() const;

  // tpot_ms.*; ttft_ms.* and its parts; latency_ms.* and itl_ms.*. `shown` are percentiles ("p50") that become
  // headlines with a bound.
  void add_tpot(harness::metrics& metrics, const std::vector<std::string>& shown, const least_latency& least) const;
  void add_ttft(harness::metrics& metrics, const std::vector<std::string>& shown, const least_latency& least) const;
  void add_latencies(harness::metrics& metrics, const std::vector<std::uint64_t>& token_gaps_ps) const;

 private:
  using record = serving::request_record;

  template <class F>
  std::vector<double> samples_ms(F ps_of) const;
  template <class F>
  void add_mean(harness::metrics& metrics, const char* name, F ps_of) const;

  std::vector<const record*> finished_;
};

// requests.csv. The second column is the scenario's own: `value_of` takes a record.
template <class F>
void write_requests(harness::result_directory& results, const std::vector<serving::request_record>& records,
                    const std::string& second_column, F value_of) {
  harness::csv_writer file(results, "requests.csv",
                           {"request", second_column, "prompt_tokens", "output_tokens", "emitted", "passes", "queue_ms",
                            "prefill_ms", "transfer_ms", "first_decode_ms", "ttft_ms", "tpot_ms", "latency_ms"});
  for (const auto& r : records) {
    const auto if_first = [&](std::uint64_t ps) {
      return r.emitted > 0 ? static_cast<double>(ps) / ps_per_ms : harness::not_measured;
    };
    file.row(r.what.id, value_of(r), r.what.prompt_tokens, r.what.output_tokens, r.emitted, r.passes,
             if_first(r.queue_ps()), if_first(r.prefill_ps()), if_first(r.transfer_ps), if_first(r.first_decode_ps),
             if_first(r.ttft_ps()), r.emitted > 1 ? r.tpot_ps() / ps_per_ms : harness::not_measured,
             if_first(r.latency_ps()));
  }
  file.close();
}

}  // namespace scribeline::scenarios
