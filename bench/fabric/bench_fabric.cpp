// Speed and memory of the wavelet engine, targets beside them: bench_fabric [--quick]
//
// CPU seconds of one run each; they differ from machine to machine and with what else runs there. --quick leaves out
// whole wafers.
#include <fmt/format.h>

#include <cstring>
#include <ctime>
#include <systemc>

#include "bench/fabric/traffic.h"
#include "firmware_stubs/collectives/collective.h"
#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"

using namespace scribeline;
using namespace scribeline::fabric;

namespace {

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

struct measurement {
  std::int64_t cycles = 0;
  std::int64_t word_hops = 0;
  double build_seconds = 0;
  double run_seconds = 0;
  double bytes_per_core = 0;

  double seconds() const { return build_seconds + run_seconds; }
  double hops_per_second() const { return static_cast<double>(word_hops) / run_seconds; }
};

measurement measure(const program& p, const fabric_chip& chip) {
  measurement m;
  const double start = cpu_seconds();
  wavelet_engine engine(p, chip);
  const double built = cpu_seconds();
  const run_result result = engine.run();
  m.run_seconds = cpu_seconds() - built;
  m.build_seconds = built - start;
  if (result.outcome != run_outcome::finished) fmt::print("{}\n", result.explanation);
  m.cycles = result.cycles.value();
  m.word_hops = result.word_hops;
  m.bytes_per_core = static_cast<double>(engine.memory_bytes()) / static_cast<double>(p.cores());
  return m;
}

program xy_all_reduce(const fabric_chip& chip, int columns, int rows, int words) {
  const collectives::reduce_plan two_phase{collectives::reduce_kind::two_phase};
  return collectives::all_reduce_xy(chip, columns, rows, {element_type::fp32, words, 0}, two_phase, two_phase);
}

void print_speed_head() {
  fmt::print("\nWavelet engine: million words over links between routers per CPU second\n");
  fmt::print("{:<34} {:>11} {:>8} {:>13} {:>8} {:>8} {:>9}\n", "program", "cores", "cycles", "word-hops", "seconds",
             "M hops/s", "target");
}

void print_speed(const char* name, const program& p, const fabric_chip& chip, const char* target) {
  const measurement m = measure(p, chip);
  fmt::print("{:<34} {:>11} {:>8} {:>13} {:>8.3f} {:>8.1f} {:>9}\n", fmt::format("{}, {}", name, chip.name),
             fmt::format("{}x{}", p.columns, p.rows), m.cycles, m.word_hops, m.run_seconds, m.hops_per_second() * 1e-6,
             target);
}

void print_speeds(bool quick) {
  const fabric_chip wse2 = wse2_chip();
  const fabric_chip wse3 = wse3_chip();
  print_speed_head();
  for (const fabric_chip& chip : {wse2, wse3}) {
    print_speed("crossing streams", bench::crossing_streams(64, 64, 2000), chip, ">= 100");
    print_speed("crossing streams on shared links", bench::crossing_streams(64, 64, 1000, 2), chip, "");
    print_speed("row chains", bench::row_chains(64, 64, 4000), chip, ">= 100");
    print_speed("X-Y all-reduce, 1024 words", xy_all_reduce(chip, 64, 64, 1024), chip, "");
  }
  print_speed("crossing streams", bench::crossing_streams(755, 1170, 20), wse3, ">= 50");
  if (!quick) print_speed("row chains, 256 words", bench::row_chains(755, 1170, 256), wse3, ">= 50");
}

void print_growth(int words, int largest_square, bool whole_wafer, const char* target) {
  const fabric_chip chip = wse3_chip();
  fmt::print("\nWavelet engine: X-Y all-reduce of {} words on growing parts of a WSE-3\n", words);
  fmt::print("{:>11} {:>8} {:>9} {:>9} {:>12} {:>12} {:>10} {}\n", "cores", "cycles", "build s", "run s", "us per core",
             "ns per hop", "B per core", "target");
  const auto print = [&](int columns, int rows, const char* beside) {
    const measurement m = measure(xy_all_reduce(chip, columns, rows, words), chip);
    fmt::print("{:>11} {:>8} {:>9.3f} {:>9.3f} {:>12.3f} {:>12.2f} {:>10.0f} {}\n", fmt::format("{}x{}", columns, rows),
               m.cycles, m.build_seconds, m.run_seconds, m.seconds() / columns / rows * 1e6,
               m.run_seconds / static_cast<double>(m.word_hops) * 1e9, m.bytes_per_core, beside);
  };
  for (int side = 64; side <= largest_square; side *= 2)
    print(side, side, "");
  if (whole_wafer) print(chip.columns, chip.rows, target);
}

}  // namespace

int sc_main(int argc, char** argv) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  if (argc > 1 && !quick) {
    fmt::print(stderr, "usage: bench_fabric [--quick]\n");
    return 2;
  }
  print_speeds(quick);
  print_growth(256, quick ? 256 : 512, !quick, "<= 20 s");
  return 0;
}
