#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "rtl_tlm/base/error.h"
#include "scenarios/harness/budgets.h"
#include "scenarios/harness/metrics.h"
#include "scenarios/harness/metrics_json.h"

using namespace scribeline;
using namespace scribeline::harness;
using Catch::Matchers::Contains;

TEST_CASE("percentiles interpolate between closest ranks") {
  // By hand: rank = p/100 (n-1).
  const std::vector<double> samples{40, 10, 30, 20};
  CHECK(percentile(samples, 0) == 10);
  CHECK(percentile(samples, 50) == 25);
  CHECK(percentile(samples, 90) == Approx(37));    // rank 2.7
  CHECK(percentile(samples, 99) == Approx(39.7));  // rank 2.97
  CHECK(percentile(samples, 100) == 40);
  CHECK(percentile({5}, 99) == 5);
  CHECK(std::isnan(percentile({}, 50)));
  CHECK_THROWS_AS(percentile({1, std::nan("")}, 50), std::logic_error);
  // numpy.percentile([1, 2, 4, 8, 16], 90) = 12.8
  CHECK(percentile({1, 2, 4, 8, 16}, 90) == Approx(12.8));
}

TEST_CASE("metrics keep their order and refuse a name twice or a reserved one") {
  metrics measured;
  measured.add("b", 1);
  measured.add("a", 2.5).unit("ms");
  CHECK(measured.names() == std::vector<std::string>{"b", "a"});
  CHECK(measured.find("a")->number() == 2.5);
  CHECK(measured.find("c") == nullptr);
  CHECK_THROWS_AS(measured.add("a", 1), std::logic_error);
  CHECK_THROWS_AS(measured.add("bound.a", 1), std::logic_error);
  CHECK_THROWS_AS(measured.at("c"), std::logic_error);
}

TEST_CASE("a metric contradicts its bound only beyond rounding") {
  metrics measured;
  measured.add("time", 1.0).at_least(1.0 + 1e-12, "link");
  measured.add("rate", 1.0).at_most(1.0, "SRAM");
  CHECK(measured.contradictions().empty());
  metrics undefined;
  undefined.add("time", 1.0).at_least(std::nan(""), "nothing");
  CHECK(undefined.contradictions().size() == 1);
  measured.add("short", 0.999).at_least(1.0, "link");
  measured.add("fast", 1.001).at_most(1.0, "SRAM");
  const auto found = measured.contradictions();
  REQUIRE(found.size() == 2);
  CHECK(found[0] == "short = 0.999 is below its lower bound 1.0 (link)");
  CHECK(found[1] == "fast = 1.001 is above its upper bound 1.0 (SRAM)");
}

TEST_CASE("metrics.json is flat and stable and reads back exactly") {
  metrics measured;
  measured.add("tenth", 0.1).unit("s").at_least(0.05, "a \"quoted\" name");
  measured.add("third", 1.0 / 3);
  measured.add("count", 12345678901234);
  measured.add("whole", 3.0);
  measured.add("big", 1e22);
  measured.add("zero", -0.0);
  measured.add("none", std::nan(""));
  measured.add("word", "credits");
  const key_table no_keys;
  CHECK(metrics_json({"pipe", "00ff", false}, measured, no_keys, {{"a.b", "here", "never", false}}) ==
        "{\n"
        "  \"scenario\": \"pipe\",\n"
        "  \"version\": \"0.1.0\",\n"
        "  \"config_hash\": \"00ff\",\n"
        "  \"partial\": false,\n"
        "  \"tenth\": 0.1,\n"
        "  \"bound.tenth\": 0.05,\n"
        "  \"binds.tenth\": \"a \\\"quoted\\\" name\",\n"
        "  \"third\": 0.3333333333333333,\n"
        "  \"count\": 12345678901234,\n"
        "  \"whole\": 3.0,\n"
        "  \"big\": 1e+22,\n"
        "  \"zero\": 0.0,\n"
        "  \"none\": null,\n"
        "  \"word\": \"credits\",\n"
        "  \"unused_keys\": [\"a.b\"],\n"
        "  \"unit.tenth\": \"s\"\n"
        "}\n");
}

TEST_CASE("the headline table shows value and bound and what binds") {
  metrics measured;
  measured.add("hidden", 1);
  measured.add("tokens_per_s", 748.1234).headline("tokens/s").unit("1/s").at_most(900, "link");
  measured.add("users", 82).headline("users");
  measured.add("none", std::nan("")).headline("nothing");
  CHECK(measured.headline_table().text() ==
        "result    value  unit  bound  bound by\n"
        "tokens/s  748.1  1/s     900  link\n"
        "users        82\n"
        "nothing       -\n");
}

TEST_CASE("a budget table tells the margin to each limit") {
  metrics measured;
  measured.add("tpot_ms.p50", 4.1);
  measured.add("rate", 250);
  measured.add("empty", std::nan(""));
  const budget_report met = check_budgets({{"rate", 200.0, 500.0, "a"}, {"tpot_ms.p50", {}, 4.1, "b"}}, measured);
  CHECK(met.met);
  CHECK(met.table.text() ==
        "metric       budget    measured           margin  verdict\n"
        "rate         >= 200.0       250   +50 (+25.00 %)  met\n"
        "rate         <= 500.0       250  +250 (+50.00 %)  met\n"
        "tpot_ms.p50  <= 4.1         4.1     +0 (+0.00 %)  met\n");
  const budget_report missed = check_budgets({{"tpot_ms.p50", {}, 4.0, "b"}}, measured);
  CHECK_FALSE(missed.met);
  CHECK_THAT(missed.table.text(), Contains("<= 4.0       4.1  -0.1 (-2.50 %)  MISSED"));
  const budget_report unmeasured = check_budgets({{"empty", {}, 4.0, "b"}}, measured);
  CHECK_FALSE(unmeasured.met);
  CHECK_THAT(unmeasured.table.text(), Contains("not measured"));
  CHECK_THROWS_AS(check_budgets({{"ratee", {}, 1.0, "b"}}, measured), base::bad_input);
}
