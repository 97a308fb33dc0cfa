// Speed and memory of the burst engine on growing parts of a WSE-3, target beside the whole: bench_burst [WORDS...]
//
// CPU seconds of one run each; they differ from machine to machine and with what else runs there. Every row is a
// process of its own, so that all pay for their memory.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "bench/fabric/traffic.h"
#include "firmware_stubs/collectives/collective.h"
#include "rtl_tlm/fabric/burst/burst_engine.h"

using namespace scribeline;
using namespace scribeline::fabric;

namespace {

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void print_head() {
  fmt::print(
      "Burst engine on growing parts of a WSE-3. CPU seconds: program is written, build is checks, layout and engine.\n"
      "B per core: the engine's arrays at the end of the run.\n\n"
      "{:<25} {:>8} {:>6} {:>7} {:>10} {:>8} {:>8} {:>8} {:>8} {:>11} {}\n",
      "program", "cores", "words", "cycles", "events", "program", "build", "run", "sum", "B per core", "target of sum");
}

void print_row(const std::string& name, int words, const char* target, const std::function<program()>& write) {
  const fabric_chip chip = wse3_chip();
  const double start = cpu_seconds();
  const program p = write();
  const double written = cpu_seconds();
  burst_engine engine(p, chip);
  const double built = cpu_seconds();
  const run_result result = engine.run();
  const double ran = cpu_seconds();
  if (result.outcome != run_outcome::finished) fmt::print("{}: {}\n", name, result.explanation);
  fmt::print("{:<25} {:>8} {:>6} {:>7} {:>10} {:>8.3f} {:>8.3f} {:>8.3f} {:>8.3f} {:>11.1f} {}\n", name,
             fmt::format("{}x{}", p.columns, p.rows), words, result.cycles.value(), engine.events(), written - start,
             built - written, ran - built, ran - start,
             static_cast<double>(engine.memory_bytes()) / static_cast<double>(p.cores()), target);
}

void print_in_a_process(const std::function<void()>& row) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    row();
    std::fflush(stdout);
    _exit(0);
  }
  if (child < 0 || waitpid(child, nullptr, 0) < 0) std::perror("bench_burst");
}

void print_all_reduces(const char* name, collectives::reduce_kind kind, int words) {
  const fabric_chip chip = wse3_chip();
  const auto print = [&](int columns, int rows, const char* target) {
    print_in_a_process([&] {
      print_row(name, words, target, [&] {
        return collectives::all_reduce_xy(chip, columns, rows, {element_type::fp32, words, 0}, {kind}, {kind});
      });
    });
  };
  for (const int side : {64, 128, 256, 512})
    print(side, side, "");
  print(chip.columns, chip.rows, "<= 0.5 s, <= 150 B per core");
}

}  // namespace

int sc_main(int argc, char** argv) {
  std::vector<int> lengths;
  for (int i = 1; i < argc; ++i)
    lengths.push_back(std::stoi(argv[i]));
  if (lengths.empty()) lengths = {1, 256, 4096};
  print_head();
  for (const int words : lengths) {
    print_all_reduces("X-Y all-reduce, chains", collectives::reduce_kind::chain, words);
    print_all_reduces("X-Y all-reduce, two-phase", collectives::reduce_kind::two_phase, words);
  }
  const fabric_chip chip = wse3_chip();
  print_in_a_process(
      [&] { print_row("row chains", 256, "", [&] { return bench::row_chains(chip.columns, chip.rows, 256); }); });
  print_in_a_process([&] {
    print_row("crossing streams", 256, "", [&] { return bench::crossing_streams(chip.columns, chip.rows, 256); });
  });
  return 0;
}
