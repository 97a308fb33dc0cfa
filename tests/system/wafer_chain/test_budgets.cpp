#include <catch2/catch.hpp>

#include "tests/system/wafer_chain/wafer_chain_binary.h"

using namespace wafer_chain_binary;
using Catch::Contains;

TEST_CASE("budgets that are met end with 0 and a table, one that is missed with 1, unless they are ignored") {
  scratch_folder folder;
  const std::string met = folder.file(
      "met.toml", scenario(data("tiny_experts.json"),
                           "[budgets]\n\"tpot_ms.p50\" = { max = 1000 }\ntokens_per_s_per_user = { min = 1 }\n"));
  outcome result = run(folder, {met, "--out", folder / "out"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Contains("budget") && Contains("tpot_ms.p50") && Contains("<= 1000") && Contains("met"));
  CHECK_THAT(result.out, !Contains("MISSED"));

  const std::string missed = folder.file(
      "missed.toml", scenario(data("tiny_experts.json"),
                              "[budgets]\n\"tpot_ms.p50\" = { max = 0.001 }\ntokens_per_s_per_user = { min = 1 }\n"));
  result = run(folder, {missed, "--out", folder / "out"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Contains("<= 0.001") && Contains("MISSED") && Contains("met"));
  CHECK_THAT(result.err, Contains("a budget is missed"));
  CHECK(folder.has("out/metrics.json"));

  CHECK(run(folder, {missed, "--out", folder / "out", "--budgets", "ignore"}).exit_code == 0);
  CHECK(run(folder, {missed, "--out", folder / "out", "--set", "budgets.tpot_ms.p50.max=1000"}).exit_code == 0);
  result = run(folder, {missed, "--out", folder / "out", "--json"});
  CHECK(result.exit_code == 1);
  CHECK_NOTHROW(nlohmann::json::parse(result.out));  // the table goes to stderr
  CHECK_THAT(result.err, Contains("MISSED"));
}
