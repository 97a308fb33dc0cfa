// Speculative decoding from the scenario file: tables, drafters, and what drafting costs.
#include <catch2/catch.hpp>

#include "tests/system/wafer_chain/wafer_chain_binary.h"

using namespace wafer_chain_binary;
using Catch::Contains;

namespace {

// tiny_experts with a module that predicts the token after the next.
std::string with_module(const scratch_folder& folder) {
  std::string text = contents(data("tiny_experts.json"));
  text.replace(text.find("\"num_hidden_layers\": 3"), 22, "\"num_hidden_layers\": 3, \"num_nextn_predict_layers\": 1");
  return folder.file("with_module.json", text);
}

const std::vector<std::string> one_user = {"workload.users=1", "workload.requests=1", "workload.output_tokens=60"};

nlohmann::json measured(const scratch_folder& folder, const std::string& model, std::vector<std::string> settings) {
  settings.insert(settings.end(), one_user.begin(), one_user.end());
  return measure(folder, model, settings);
}

double number(const nlohmann::json& metrics, const char* name) {
  return metrics.at(name).get<double>();
}

}  // namespace

TEST_CASE("a published table gives its lengths to a run by name and number of drafts") {
  scratch_folder folder;
  const auto expected = [&](const char* table, int drafts) {
    return number(measured(folder, data("tiny_experts.json"),
                           {std::string("workload.speculation.table=") + table,
                            "workload.speculation.draft_tokens=" + std::to_string(drafts)}),
                  "tokens_per_pass_expected");
  };
  CHECK(expected("kimi-k2.5-eagle3", 1) == Approx(1.83));
  CHECK(expected("kimi-k2.5-eagle3", 8) == Approx(3.77));
  CHECK(expected("deepseek-v4-pro-mtp", 7) == Approx(2.54));
  const auto m = measured(folder, data("tiny_experts.json"),
                          {"workload.speculation.alpha=0.5", "workload.speculation.draft_tokens=3"});
  CHECK(number(m, "tokens_per_pass_expected") == 1.875);
}

TEST_CASE("drafts of a module cost what the module takes, one after the other") {
  scratch_folder folder;
  const std::string model = with_module(folder);
  const auto with = [&](const char* drafter, int drafts) {
    return measured(folder, model,
                    {std::string("workload.speculation.drafter=") + drafter, "workload.speculation.alpha=1",
                     "workload.speculation.draft_tokens=" + std::to_string(drafts)});
  };
  const auto by_host = with("host", 3);
  const auto by_module = with("module", 3);
  CHECK(by_host.at("draft_us_per_pass").is_null());
  CHECK(number(by_module, "machine.wafers") == number(by_host, "machine.wafers") + 1);
  CHECK(number(by_module, "stage.count") == number(by_host, "stage.count") + 1);
  const double draft_us = number(by_module, "draft_us_per_pass");
  CHECK(draft_us > 0);
  // The pass is longer by the drafting, and by little else: the message to it is as long as the one to the host was.
  const double longer = number(by_module, "pass_us.total") - number(by_host, "pass_us.total");
  CHECK(longer == Approx(draft_us).epsilon(0.2));
  // Each draft is a round of its own.
  const double one = number(with("module", 1), "draft_us_per_pass");
  const double two = number(with("module", 2), "draft_us_per_pass");
  CHECK(two > 1.3 * one);
  CHECK(draft_us > two);
}

TEST_CASE("a smaller model drafts from a wafer of its own, or beside the head") {
  scratch_folder folder;
  const std::vector<std::string> drafting = {"workload.speculation.drafter=model", "workload.speculation.alpha=0.7",
                                             "workload.speculation.draft_tokens=2",
                                             "workload.speculation.draft_config=" + data("tiny_dense.json")};
  const auto own = measured(folder, data("tiny_experts.json"), drafting);
  CHECK(number(own, "draft_us_per_pass") > 0);
  auto beside = drafting;
  beside.push_back("mapping.embedding_and_head=beside_layers");
  const auto shared = measured(folder, data("tiny_experts.json"), beside);
  CHECK(number(shared, "machine.wafers") < number(own, "machine.wafers"));
}

TEST_CASE("what speculation lacks or contradicts is refused with what would be right") {
  scratch_folder folder;
  const std::string file = folder.file("s.toml", scenario(data("tiny_experts.json")));
  const auto refused = [&](const std::vector<std::string>& settings, const std::string& expected) {
    const outcome result = run(folder, with_settings({file, "--out", folder / "out"}, settings));
    INFO(result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains(expected));
  };
  refused({"workload.speculation.draft_tokens=2"}, "workload.speculation.table, accepted_lengths or alpha");
  refused({"workload.speculation.draft_tokens=9", "workload.speculation.table=kimi-k2.5-eagle3"}, "has a length for");
  refused({"workload.speculation.draft_tokens=2", "workload.speculation.table=kimi-k2.5-eagle3",
           "workload.speculation.alpha=0.5"},
          "both say how often drafts are accepted");
  refused({"workload.speculation.draft_tokens=2", "workload.speculation.accepted_lengths=1.5,3.5"},
          "3.5 tokens with 2 drafts; possible are 1 to 3");
  refused(
      {"workload.speculation.draft_tokens=2", "workload.speculation.alpha=0.5", "workload.speculation.drafter=module"},
      "has no multi-token-prediction module");
  refused(
      {"workload.speculation.draft_tokens=2", "workload.speculation.alpha=0.5", "workload.speculation.drafter=model"},
      "workload.speculation.draft_config");
}
