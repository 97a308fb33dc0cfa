// Speed and memory of the burst engine on growing fabrics. Prints a table; wall-clock figures differ from machine to
// machine.
#include <fmt/format.h>

#include <ctime>
#include <string>
#include <systemc>

#include "bench/fabric/all_reduce.h"
#include "bench/fabric/traffic.h"
#include "rtl_tlm/fabric/burst/burst_engine.h"
#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"

using namespace scribeline;
using namespace scribeline::fabric;

namespace {

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void measure(const program& p, const fabric_chip& chip, int words) {
  const double start = cpu_seconds();
  burst_engine engine(p, chip);
  const double built = cpu_seconds();
  const run_result result = engine.run();
  const double ran = cpu_seconds();
  if (result.outcome != run_outcome::finished) fmt::print("{}\n", result.explanation);
  const auto cores = static_cast<double>(p.cores());
  fmt::print(
      "{:<18} {:>4} x {:<4} {:>5} words {:>8} cycles {:>11} events {:>5.1f} a core {:>6.3f} s build {:>6.3f} s run "
      "{:>6.3f} s both {:>6.1f} ns/event {:>6.1f} B/core\n",
      p.name, p.columns, p.rows, words, result.cycles.value(), engine.events(),
      static_cast<double>(engine.events()) / cores, built - start, ran - built, ran - start,
      (ran - built) / static_cast<double>(engine.events()) * 1e9, static_cast<double>(engine.memory_bytes()) / cores);
}

}  // namespace

int sc_main(int argc, char** argv) {
  const fabric_chip chip = wse3_chip();
  if (argc == 4) {
    measure(bench::xy_all_reduce(std::stoi(argv[1]), std::stoi(argv[2]), std::stoi(argv[3])), chip, std::stoi(argv[3]));
    return 0;
  }
  for (const int words : {1, 256, 4096}) {
    for (const int side : {64, 128, 256, 512})
      measure(bench::xy_all_reduce(side, side, words), chip, words);
    measure(bench::xy_all_reduce(chip.columns, chip.rows, words), chip, words);
  }
  measure(bench::row_chains(chip.columns, chip.rows, 256), chip, 256);
  measure(bench::crossing_streams(chip.columns, chip.rows, 256), chip, 256);
  return 0;
}
