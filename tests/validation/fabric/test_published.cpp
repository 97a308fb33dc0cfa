// Published measurements of WSE-2 and WSE-3 against the wavelet engine.
#include <catch2/catch.hpp>

#include <cmath>

#include "tests/support/csv.h"
#include "tests/validation/fabric/wse3_microbenchmarks.h"

using namespace scribeline;
using namespace scribeline::validation;
using collectives::reduce_kind;

namespace {

std::vector<test::csv_row> table(const std::string& name) {
  return test::read_csv(std::string(SCRIBELINE_SOURCE_DIR) + "/tests/validation/data/" + name);
}

double microbench(const std::string& metric) {
  for (const test::csv_row& row : table("wse3_microbench.csv"))
    if (row.at("metric") == metric) return std::stod(row.at("value"));
  throw std::out_of_range(metric);
}

}  // namespace

TEST_CASE("every measured WSE-2 reduce row is met within 1 percent, with one set of constants") {
  for (const test::csv_row& row : table("wse2_reduce_1d.csv")) {
    const bool is_chain = row.at("pattern") == "chain";
    const collectives::reduce_plan plan{is_chain ? reduce_kind::chain : reduce_kind::two_phase,
                                        is_chain ? 0 : std::stoi(row.at("step"))};
    const double measured = std::stod(row.at("cycles"));
    const auto modelled =
        static_cast<double>(wse2_reduce_cycles(std::stoi(row.at("pes")), std::stoi(row.at("words")), plan));
    INFO(row.at("pattern") << ", " << row.at("words") << " words: measured " << measured << ", engine " << modelled);
    CHECK(std::abs(modelled - measured) <= 0.01 * measured);
  }
}

TEST_CASE("measured WSE-3 message latencies are met within a cycle") {
  for (const test::csv_row& row : table("wse3_microbench.csv")) {
    if (row.at("metric") != "message_latency") continue;
    const int hops = std::stoi(row.at("arg"));
    const double measured = std::stod(row.at("value"));
    const auto modelled = static_cast<double>(message_cycles(fabric::wse3_chip(), hops, 6));
    INFO(hops << " hops: measured " << measured << ", engine " << modelled);
    CHECK(std::abs(modelled - measured) <= 1);
  }
}

TEST_CASE("long WSE-3 messages follow the fit of 1.125 cycles per word") {
  for (const int words : {8, 32, 128, 1024, 4096}) {
    const double fit = microbench("fixed") + 3 * microbench("hop") + words * microbench("wavelet");
    const auto modelled = static_cast<double>(message_cycles(fabric::wse3_chip(), 3, words));
    INFO(words << " words: fit " << fit << ", engine " << modelled);
    CHECK(std::abs(modelled - fit) <= 2);
  }
}

TEST_CASE("WSE-3 store-and-forward relays follow their fit within 4 percent") {
  for (const int hops : {1, 2, 3, 8, 30, 100})
    for (const int words : {1, 2, 8, 64, 512, 4096}) {
      const double fit =
          microbench("relay_word") * hops * words + microbench("relay_hop") * hops + microbench("relay_fixed");
      const auto modelled = static_cast<double>(relay_cycles(fabric::wse3_chip(), hops, words));
      INFO(hops << " hops, " << words << " words: fit " << fit << ", engine " << modelled);
      CHECK(std::abs(modelled - fit) <= 0.04 * fit);
    }
}

TEST_CASE("sources that share a link take turns on it") {
  for (const fabric::fabric_chip& chip : {fabric::wse2_chip(), fabric::wse3_chip()})
    for (const int sources : {1, 2, 3, 4}) {
      const int words = 1000;
      const std::int64_t cycles = contention_cycles(chip, sources, words);
      INFO(chip.name << ", " << sources << " sources: " << cycles);
      const double expected = sources == 1 && chip.name == "wse3" ? 1.125 * words : 1.0 * sources * words;
      CHECK(std::abs(static_cast<double>(cycles) - expected) <= 0.05 * expected);
    }
}
