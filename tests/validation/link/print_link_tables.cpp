// Prints the validation tables of links as Markdown: link_validation [ERRORS]
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <systemc>

#include "tests/validation/link/link_laws.h"

using namespace scribeline::validation;

namespace {

void print_retry(double bit_error_rate, std::int64_t errors) {
  const retry_goodput g = simulate_retry(bit_error_rate, errors);
  fmt::print("| {:.0e} | {} | {} | {:.2f} | {:.2f} | {:+.2f} % |\n", bit_error_rate, g.frames, g.errors,
             100 * g.closed_form, 100 * g.simulated, 100 * (g.simulated / g.closed_form - 1));
}

void print_credits() {
  for (const credit_point& p : simulate_credits(4000, {20, 40, 60, 80, 90, 95, 97, 98, 99, 100, 110, 150}))
    fmt::print("| {} | {:.2f} | {:.2f} |\n", p.frames, p.bytes_per_ns, 100 * p.share_of_rate);
}

// A process of its own: one simulation in each.
template <class Action>
bool in_child(Action action) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    action();
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  const std::int64_t errors = argc > 1 ? std::atoll(argv[1]) : 10'000;
  if (errors < 1) {
    fmt::print(stderr, "usage: {} [ERRORS]\n", argv[0]);
    return 2;
  }
  fmt::print(
      "## Link-layer retry: goodput in % of the rate\n\n800 Gb/s, frames of 4140 B, 1 us of round trip; (1-p) / "
      "(1-p+pW), W = 1 + round trip / frame time.\n\n"
      "| bit error rate | frames delivered | frames lost | closed form | simulated | error |\n"
      "|--:|--:|--:|--:|--:|--:|\n");
  for (const double rate : {1e-8, 1e-7, 1e-6})
    if (!in_child([&] { print_retry(rate, errors); })) return 1;
  fmt::print(
      "\n## Credits: throughput in % of the rate\n\n800 Gb/s, PDUs of 4096 B, 4041 ns from a frame's first bit to its "
      "credit. Full rate is expected from 99.27 B of payload per ns on (4096 of 4126 B).\n\n"
      "| credit, PDUs | B per ns of round trip | simulated |\n|--:|--:|--:|\n");
  if (!in_child(print_credits)) return 1;
  return 0;
}
