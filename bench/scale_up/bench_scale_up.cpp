// Speed of the scale-up network with credits and link-layer retry, as rows of a Markdown table: processor time of one
// core. SystemC elaborates once a process, hence one row a call; tools/bench prints them all.
#include <fmt/format.h>

#include <string>
#include <systemc>
#include <vector>

#include "bench/scale_up/traffic.h"

using namespace scribeline;

namespace {

int usage(const char* binary) {
  fmt::print(
      stderr,
      "usage: {} header | small | full | trains | all-to-all [TOKENS] | all-to-all-trains [TOKENS] | all-reduce\n",
      binary);
  return 2;
}

}  // namespace

int sc_main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const std::int64_t tokens = argc > 2 ? std::stoll(argv[2]) : 1024;
  if (what == "header")
    bench::print_header();
  else if (what == "small")
    bench::line_rate("frames of 64 B between 4 ranks", 4, 46, 1, 1'000'000);
  else if (what == "full")
    bench::line_rate("PDUs of 4096 B between 8 ranks", 8, 4096, 1, 500'000);
  else if (what == "trains")
    bench::line_rate("the same in trains of 32", 8, 4096, 32, 500'000);
  else if (what == "all-to-all")
    bench::all_to_all(fmt::format("all-to-all, {} tokens a rank", tokens), 1, tokens);
  else if (what == "all-to-all-trains")
    bench::all_to_all("the same in trains of 32", 32, tokens);
  else if (what == "all-reduce")
    bench::all_reduce();
  else
    return usage(argv[0]);
  return 0;
}
