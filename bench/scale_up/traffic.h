// The traffic that the benchmarks of the scale-up network run.
#pragma once

#include <fmt/format.h>

#include <ctime>
#include <systemc>

#include "platforms/scale_up_domain/scale_up_domain.h"

namespace scribeline::bench {

inline double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

inline void run_and_print(const char* name, platforms::scale_up_domain& net) {
  const double begin = cpu_seconds();
  net.run(sc_core::sc_time(1, sc_core::SC_MS), [] { return false; });
  const double seconds = cpu_seconds() - begin;
  std::int64_t frames = 0;
  for (int p = 0; p < net.planes(); ++p)
    frames += net.plane(p).statistics().frames_out;
  std::int64_t bytes = 0;
  for (int r = 0; r < net.ranks(); ++r)
    bytes += net.rank(r).statistics().bytes_arrived;
  fmt::print(
      "{:<34} {:>4} ranks {:>2} planes {:>9} frames {:>8.3f} GB {:>9.1f} us simulated {:>7.2f} s {:>6.1f} M "
      "frames/min\n",
      name, net.ranks(), net.planes(), frames, static_cast<double>(bytes) * 1e-9,
      sc_core::sc_time_stamp().to_seconds() * 1e6, seconds, static_cast<double>(frames) / seconds * 60e-6);
}

// Every rank sends `pdus` PDUs of so many bytes to its neighbour.
inline void line_rate(int ranks, std::int64_t pdu_bytes, std::int64_t pdus) {
  platforms::scale_up_config c;
  c.ranks = ranks;
  c.endpoint.pdu_bytes = std::max<std::int64_t>(pdu_bytes, 256);
  if (pdu_bytes < 256) c.endpoint.transaction_bytes = c.endpoint.pdu_bytes = pdu_bytes;
  platforms::scale_up_domain net("net", c);
  for (int r = 0; r < ranks; ++r)
    net.rank(r).send((r + 1) % ranks, base::bytes{pdu_bytes * pdus});
  run_and_print(fmt::format("line rate, {} B", pdu_bytes).c_str(), net);
}

// `tokens` of a rank go to 8 experts each, spread evenly; hidden 7168 in fp8.
inline void all_to_all(int ranks, int planes, std::int64_t tokens) {
  platforms::scale_up_config c;
  c.ranks = ranks;
  c.planes = planes;
  platforms::scale_up_domain net("net", c);
  const std::int64_t to_each = tokens * 8 * 7168 / ranks;
  for (int r = 0; r < ranks; ++r)
    for (int i = 1; i < ranks; ++i)
      net.rank(r).send((r + i) % ranks, base::bytes{to_each});
  run_and_print(fmt::format("all-to-all, {} tokens a rank", tokens).c_str(), net);
}

}  // namespace scribeline::bench
