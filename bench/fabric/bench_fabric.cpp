// Speed and memory of the fabric engines. Prints a table; wall-clock figures differ from machine to machine.
#include <fmt/format.h>

#include <ctime>
#include <systemc>

#include "bench/fabric/traffic.h"
#include "rtl_tlm/fabric/wavelet_engine.h"

using namespace scribeline;
using namespace scribeline::fabric;

namespace {

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void measure(const char* name, const program& p, const fabric_chip& chip) {
  const double start = cpu_seconds();
  wavelet_engine engine(p, chip);
  const double built = cpu_seconds() - start;
  const double begin = cpu_seconds();
  const run_result result = engine.run();
  const double ran = cpu_seconds() - begin;
  if (result.outcome != run_outcome::finished) fmt::print("{}\n", result.explanation);
  fmt::print(
      "{:<28} {:>5} x {:<5} {:>9} cycles {:>13} word-hops {:>13} ramp words {:>7.3f} s build {:>8.3f} s run {:>7.1f} "
      "M/s {:>6.0f} B/core\n",
      name, p.columns, p.rows, result.cycles.value(), result.word_hops, result.ramp_words, built, ran,
      static_cast<double>(result.word_hops) / ran * 1e-6,
      static_cast<double>(engine.memory_bytes()) / static_cast<double>(p.cores()));
}

}  // namespace

int sc_main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "shared") {
    measure("shared crossing, wse3", bench::shared_crossing_streams(64, 64, 1000), wse3_chip());
    measure("shared crossing, wse2", bench::shared_crossing_streams(64, 64, 1000), wse2_chip());
    measure("shared crossing, wse2", bench::shared_crossing_streams(755, 994, 20), [] {
      auto c = wse2_chip();
      c.columns = 755;
      return c;
    }());
    return 0;
  }
  if (argc > 1 && std::string(argv[1]) == "chains") {
    measure("row chains, wse3", bench::row_chains(64, 64, 8000), wse3_chip());
    measure("row chains, wse2", bench::row_chains(64, 64, 8000), wse2_chip());
    return 0;
  }
  const fabric_chip wse2 = wse2_chip();
  const fabric_chip wse3 = wse3_chip();
  measure("crossing streams, wse2", bench::crossing_streams(64, 64, 2000), wse2);
  measure("crossing streams, wse3", bench::crossing_streams(64, 64, 2000), wse3);
  measure("crossing streams, wse3", bench::crossing_streams(755, 1170, 20), wse3);
  measure("row chains, wse2", bench::row_chains(64, 64, 4000), wse2);
  measure("row chains, wse3", bench::row_chains(64, 64, 4000), wse3);
  measure("row chains, wse3", bench::row_chains(755, 1170, 256), wse3);
  return 0;
}
