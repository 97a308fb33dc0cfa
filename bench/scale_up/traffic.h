// The traffic that the benchmarks of the scale-up network run.
#pragma once

#include <fmt/format.h>

#include <ctime>
#include <string>
#include <systemc>

#include "platforms/scale_up_domain/scale_up_domain.h"
#include "platforms/scale_up_domain/scale_up_presets.h"

namespace scribeline::bench {

inline double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

inline void print_header() {
  fmt::print(
      "| traffic | ranks | planes | PDUs | GB | simulated us | s | million PDUs a minute |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|\n");
}

inline void run_and_print(const std::string& name, platforms::scale_up_domain& net) {
  sc_core::sc_time last;
  for (int r = 0; r < net.ranks(); ++r)
    net.rank(r).on_arrival([&last](const sue::arrival&) { last = sc_core::sc_time_stamp(); });
  const double begin = cpu_seconds();
  net.run(sc_core::sc_time(100, sc_core::SC_US), [] { return false; });
  const double seconds = cpu_seconds() - begin;
  sue::endpoint_statistics sum;
  for (int r = 0; r < net.ranks(); ++r)
    sum += net.rank(r).statistics();
  const auto pdus = static_cast<double>(sum.pdus_sent + sum.contributions_sent);
  fmt::print("| {} | {} | {} | {} | {:.3f} | {:.1f} | {:.2f} | {:.1f} |\n", name, net.ranks(), net.planes(),
             sum.pdus_sent + sum.contributions_sent, static_cast<double>(sum.bytes_arrived) * 1e-9,
             last.to_seconds() * 1e6, seconds, pdus / seconds * 60e-6);
}

// Pairs of ranks send each other as many PDUs as that.
inline void line_rate(const std::string& name, int ranks, std::int64_t pdu_bytes, int train_pdus, std::int64_t pdus) {
  platforms::scale_up_config c;
  c.ranks = ranks;
  c.endpoint.pdu_bytes = pdu_bytes;
  c.endpoint.transaction_bytes = std::min<std::int64_t>(pdu_bytes, 256);
  c.endpoint.train_pdus = train_pdus;
  c.endpoint.window_pdus = 4096;
  platforms::scale_up_domain net("net", c);
  for (int r = 0; r < ranks; ++r)
    net.rank(r).send(r ^ 1, base::bytes{pdu_bytes * pdus});
  run_and_print(name, net);
}

// `tokens` of each of 128 ranks go to 8 others, spread evenly; hidden 7168 in fp8; 8 planes of 600 Gb/s.
inline void all_to_all(const std::string& name, int train_pdus, std::int64_t tokens) {
  platforms::scale_up_config c = platforms::jalapeno_local();
  c.endpoint.train_pdus = train_pdus;
  platforms::scale_up_domain net("net", c);
  const std::int64_t to_each = tokens * 8 * 7168 / c.ranks;
  for (int r = 0; r < c.ranks; ++r)
    for (int i = 1; i < c.ranks; ++i)
      net.rank(r).send((r + i) % c.ranks, base::bytes{to_each});
  run_and_print(name, net);
}

inline void all_reduce() {
  platforms::scale_up_config c;
  c.ranks = 64;
  platforms::scale_up_domain net("net", c);
  for (int r = 0; r < c.ranks; ++r)
    net.rank(r).all_reduce(platforms::scale_up_domain::everybody, base::bytes{100'000'000});
  run_and_print("all-reduce of 100 MB in the switch", net);
}

}  // namespace scribeline::bench
