// Speed of the scale-up network. Prints a table; wall-clock figures differ from machine to machine.
#include <fmt/format.h>

#include <ctime>
#include <string>
#include <systemc>

#include "bench/scale_up/traffic.h"

using namespace scribeline;

int sc_main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "line-rate") {
    bench::line_rate(4, 64, 1'000'000);
  } else if (what == "bulk") {
    bench::line_rate(8, 4096, 500'000);
  } else if (what == "all-to-all") {
    bench::all_to_all(128, 8, argc > 2 ? std::stoi(argv[2]) : 1024);
  } else {
    fmt::print(stderr, "usage: {} line-rate | bulk | all-to-all\n", argv[0]);
    return 2;
  }
  return 0;
}
