// Prints the validation tables of the fabric as Markdown, misses included: fabric_validation [--quick]
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <systemc>

#include "tests/support/csv.h"
#include "tests/validation/fabric/closed_forms.h"
#include "tests/validation/fabric/exchanges.h"
#include "tests/validation/fabric/wse3_microbenchmarks.h"

using namespace scribeline;
using namespace scribeline::validation;
using collectives::reduce_kind;
using collectives::reduce_plan;

namespace {

class error_summary {
 public:
  double add(double modelled, double reference) {
    const double error = (modelled - reference) / reference;
    sum_ += std::abs(error);
    worst_ = std::max(worst_, std::abs(error));
    ++rows_;
    return 100 * error;
  }
  void print() const {
    fmt::print("\n{} rows, mean error {:.2f} %, worst {:.2f} %.\n\n", rows_, 100 * sum_ / rows_, 100 * worst_);
  }

 private:
  double sum_ = 0;
  double worst_ = 0;
  int rows_ = 0;
};

std::vector<test::csv_row> table(const std::string& name) {
  return test::read_csv(std::string(SCRIBELINE_SOURCE_DIR) + "/tests/validation/data/" + name);
}

void print_wse2_rows() {
  fmt::print(
      "## WSE-2: reduce of one row of 512 cores, measured\n\n| pattern | words | measured | engine | error % "
      "|\n|---|--:|--:|--:|--:|\n");
  error_summary errors;
  for (const test::csv_row& row : table("wse2_reduce_1d.csv")) {
    const bool is_chain = row.at("pattern") == "chain";
    const reduce_plan plan{is_chain ? reduce_kind::chain : reduce_kind::two_phase,
                           is_chain ? 0 : std::stoi(row.at("step"))};
    const double measured = std::stod(row.at("cycles"));
    const auto cycles = wse2_reduce_cycles(std::stoi(row.at("pes")), std::stoi(row.at("words")), plan);
    fmt::print("| {} | {} | {:.0f} | {} | {:.2f} |\n", row.at("pattern"), row.at("words"), measured, cycles,
               errors.add(static_cast<double>(cycles), measured));
  }
  errors.print();
}

void print_wse2_predictions() {
  fmt::print(
      "## WSE-2: predictions without a measurement here, 512 cores\n\n| words | star | tree | generated tree | form: "
      "star | form: tree |\n|--:|--:|--:|--:|--:|--:|\n");
  const fabric::fabric_timing t = fabric::wse2_timing();
  for (int words = 1; words <= 8192; words *= 2)
    fmt::print("| {} | {} | {} | {} | {} | {} |\n", words, wse2_reduce_cycles(512, words, {reduce_kind::star}),
               wse2_reduce_cycles(512, words, {reduce_kind::tree}),
               wse2_reduce_cycles(512, words, {reduce_kind::generated}), fabric::star(t, words, 512).value(),
               fabric::tree(t, words, 512).value());
  fmt::print("\n| two-phase step, 4096 words | engine | form |\n|--:|--:|--:|\n");
  for (int step = 2; step <= 256; step *= 2)
    fmt::print("| {} | {} | {} |\n", step, wse2_reduce_cycles(512, 4096, {reduce_kind::two_phase, step}),
               fabric::two_phase(t, 4096, 512, step).value());
  fmt::print("\n");
}

void print_wse3() {
  fmt::print(
      "## WSE-3: message latency, measured on silicon\n\n| hops | measured | engine, 6 words | difference "
      "|\n|--:|--:|--:|--:|\n");
  for (const test::csv_row& row : table("wse3_microbench.csv")) {
    if (row.at("metric") != "message_latency") continue;
    const auto cycles = message_cycles(fabric::wse3_chip(), std::stoi(row.at("arg")), 6);
    fmt::print("| {} | {} | {} | {} |\n", row.at("arg"), row.at("value"), cycles, cycles - std::stoi(row.at("value")));
  }
  fmt::print("\n| words over 3 hops | fit 33 + 2 h + 1.125 w | engine |\n|--:|--:|--:|\n");
  for (const int words : {1, 8, 64, 512, 4096})
    fmt::print("| {} | {:.1f} | {} |\n", words, 33 + 6 + 1.125 * words, message_cycles(fabric::wse3_chip(), 3, words));
  fmt::print(
      "\n## WSE-3: store-and-forward relay, fit 1.001 N B + 16.1 N + 16.5\n\n| hops | words | fit | engine | error % "
      "|\n|--:|--:|--:|--:|--:|\n");
  error_summary errors;
  for (const int hops : {1, 2, 8, 30, 100})
    for (const int words : {1, 8, 64, 512}) {
      const double fit = 1.001 * hops * words + 16.1 * hops + 16.5;
      const auto cycles = relay_cycles(fabric::wse3_chip(), hops, words);
      fmt::print("| {} | {} | {:.1f} | {} | {:.2f} |\n", hops, words, fit, cycles,
                 errors.add(static_cast<double>(cycles), fit));
    }
  errors.print();
  fmt::print(
      "## Sources that share a link, 1000 words each\n\n| sources | WSE-2 cycles | WSE-3 cycles |\n|--:|--:|--:|\n");
  for (const int sources : {1, 2, 3, 4})
    fmt::print("| {} | {} | {} |\n", sources, contention_cycles(fabric::wse2_chip(), sources, 1000),
               contention_cycles(fabric::wse3_chip(), sources, 1000));
  fmt::print("\n");
}

void print_forms_1d() {
  fmt::print(
      "## HPDC'24 closed forms, one line\n\nEngine without launch. \"Explained\" adds to the form what it leaves out "
      "and the program does: see the last column.\n\n");
  fmt::print(
      "| pattern | cores | words | form | engine | error % | explained | error % | left out by the form "
      "|\n|---|--:|--:|--:|--:|--:|--:|--:|---|\n");
  error_summary form_errors;
  error_summary explained_errors;
  const auto print = [&](const form_comparison& c, int cores, int words) {
    fmt::print("| {} | {} | {} | {} | {} | {:.1f} | {} | {:.1f} | {} |\n", c.pattern, cores, words, c.form, c.engine,
               form_errors.add(static_cast<double>(c.engine), static_cast<double>(c.form)), c.explained,
               explained_errors.add(static_cast<double>(c.engine), static_cast<double>(c.explained)), c.left_out);
  };
  const auto for_sizes = [](auto&& each) {
    for (int cores = 16; cores <= 512; cores *= 2)
      for (int words = 1; words <= 4096; words *= 8)
        each(cores, words);
  };
  for (const reduce_plan& plan : form_plans())
    for_sizes([&](int cores, int words) { print(compare_line(cores, words, plan), cores, words); });
  for_sizes([&](int cores, int words) { print(compare_broadcast_line(cores, words), cores, words); });
  fmt::print("\nAgainst the form:");
  form_errors.print();
  fmt::print("Against the form with what it leaves out:");
  explained_errors.print();
}

void print_forms_2d(int largest) {
  fmt::print(
      "## HPDC'24 closed forms, squares\n\n\"Explained\" as above. Programs of more than 60 million word-hops, and "
      "snakes from 256 x 256 cores on, run on "
      "the burst engine; stars, which need as many words over the last link as there are in a row, only up to 64 x "
      "64.\n\n| collective | side | words | form | engine | error % | explained | error % | engine used "
      "|\n|---|--:|--:|--:|--:|--:|--:|--:|---|\n");
  error_summary form_errors;
  error_summary explained_errors;
  const auto print = [&](const form_comparison& c, int side, int words) {
    fmt::print("| {} | {} | {} | {} | {} | {:.1f} | {} | {:.1f} | {} |\n", c.pattern, side, words, c.form, c.engine,
               form_errors.add(static_cast<double>(c.engine), static_cast<double>(c.form)), c.explained,
               explained_errors.add(static_cast<double>(c.engine), static_cast<double>(c.explained)),
               c.by_bursts ? "burst" : "wavelet");
  };
  for (int side = 16; side <= largest; side *= 2)
    for (const int words : {1, 64, 1024, 4096}) {
      for (const form_comparison& c : compare_rectangle(side, words))
        print(c, side, words);
      if (std::int64_t{side} * side * words <= most_word_hops)
        print(compare_broadcast_square(side, words), side, words);
    }
  fmt::print("\nAgainst the form:");
  form_errors.print();
  fmt::print("Against the form with what it leaves out:");
  explained_errors.print();
}

void print_exchange(const char* name, int side, int words, const exchange_result& e) {
  fmt::print("| {} | {} | {} | {} | {} | {} | {:.1f} |\n", name, side, words, e.programs, e.bound, e.cycles,
             static_cast<double>(e.cycles) / static_cast<double>(e.bound));
}

void print_exchanges() {
  fmt::print(
      "## WSE-3: exchanges beside the bound of the bisection\n\nEvery core sends the words to all cores of its row and "
      "then of its column (as a 2-D FFT does, on folded rings that store and forward), or all of them to one random "
      "core (along the row, then the column). Colors are static: messages that meet at a router need different ones, "
      "and those that find none of the 24 free wait for a next program. The bound is the words over the middle of the "
      "square per link.\n\n| exchange | side | words | programs | bound | engine | times the bound "
      "|\n|---|--:|--:|--:|--:|--:|--:|\n");
  const fabric::fabric_chip chip = fabric::wse3_chip();
  for (const int side : {16, 32, 64})
    print_exchange("rows, then columns", side, 4, exchange_rows_then_columns(chip, side, 4));
  for (const int side : {16, 32, 64})
    for (const int words : {8, 256})
      print_exchange("random permutation", side, words, permute(chip, side, words, 1));
  fmt::print("\n");
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  print_wse2_rows();
  print_wse2_predictions();
  print_wse3();
  print_forms_1d();
  print_forms_2d(quick ? 64 : 512);
  print_exchanges();
  return 0;
}
