#include <catch2/catch.hpp>

#include "tests/system/wafer_chain/wafer_chain_binary.h"

using namespace wafer_chain_binary;
using Catch::Contains;

TEST_CASE("each floor plan is drawn once, with its wafers, stages and shapes; those of an earlier run go") {
  scratch_folder folder;
  const std::string file = folder.file("s.toml", scenario(data("tiny_experts.json")));
  const auto pictures = [&](const std::string& layers) {
    const outcome result =
        run(folder, with_settings({file, "--out", folder / "out"}, {"mapping.layers_per_wafer=" + layers}));
    REQUIRE(result.exit_code == 0);
    std::map<std::string, std::string> found;
    for (const auto& [name, text] : files_of(folder / "out"))
      if (name.rfind("floor_plans/", 0) == 0) found[name] = text;
    return found;
  };
  // Embedding, the dense layer 0, layers 1 and 2 alike, head.
  const auto apart = pictures("1");
  REQUIRE(apart.size() == 4);
  const std::string& experts = apart.at("floor_plans/wafer_002.svg");
  CHECK_THAT(experts, Contains("wafers 2, 3") && Contains("layer 1") && Contains("64 x 48 cores") &&
                          Contains("expert groups") && Contains("region") && Contains("cache and state"));
  CHECK_THAT(apart.at("floor_plans/wafer_000.svg"), Contains("wafer 0") && Contains("embedding"));
  const auto together = pictures("3");
  CHECK(together.size() == 3);
  CHECK_THAT(together.at("floor_plans/wafer_001.svg"), Contains("3 stages") && Contains("layer 2"));
}

TEST_CASE("the operations of a pass add up to its launches, and do at least the work the plan asks for") {
  scratch_folder folder;
  const auto m =
      measure(folder, data("tiny_dense.json"), {"workload.users=1", "workload.requests=1", "workload.output_tokens=2"});
  double cycles = 0, macs = 0, asked = 0;
  std::istringstream table(contents(folder / "measured/operations.csv"));
  std::string line;
  std::getline(table, line);
  CHECK(line == "stage,name,operation,fabric_cycles,compute_cycles,sram_cycles,macs,macs_asked");
  while (std::getline(table, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');)
      cells.push_back(cell);
    REQUIRE(cells.size() == 8);
    cycles += std::stod(cells[3]) + std::stod(cells[4]) + std::stod(cells[5]);
    CHECK(std::stod(cells[6]) >= std::stod(cells[7]) * (1 - 1e-12));
    macs += std::stod(cells[6]);
    asked += std::stod(cells[7]);
  }
  const double launches_us = m.at("pass_us.fabric").get<double>() + m.at("pass_us.compute").get<double>();
  CHECK(cycles / 875 == Approx(launches_us).epsilon(1e-4));
  CHECK(m.at("mapping.macs_over_plan").get<double>() == Approx(macs / asked));
}
