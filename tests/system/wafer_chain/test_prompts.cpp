// Prompts in chunks, with decode passes of other users between them.
#include <catch2/catch.hpp>

#include "rtl_tlm/base/random.h"
#include "tests/system/wafer_chain/wafer_chain_binary.h"

using namespace wafer_chain_binary;
using scribeline::base::random_stream;

TEST_CASE("more prompt never finishes sooner, whatever the chunks, the users and the mapping") {
  const std::uint64_t seed = 20260813;
  INFO("seed " << seed);
  random_stream random(seed);
  scratch_folder folder;
  const auto one_of = [&](const std::vector<std::string>& values) { return values[random.below(values.size())]; };
  for (int i = 0; i < 12; ++i) {
    const std::string model = data(one_of({"tiny_dense.json", "tiny_experts.json"}));
    const std::string users = one_of({"1", "3"});
    const std::vector<std::string> others = {
        "workload.users=" + users,
        "workload.requests=" + users,
        "workload.output_tokens=6",
        "workload.chunk_tokens=" + one_of({"1", "7", "16", "100"}),
        "workload.chunks_in_flight=" + one_of({"1", "4", "256"}),
        "mapping.layers_per_wafer=" + one_of({"1", "2"}),
        "workload.speculation.acceptance=" + one_of({"[]", "1,1"}),
    };
    double first = 0, whole = 0;
    std::uint64_t prompt = 1 + random.below(20);
    for (int step = 0; step < 4; ++step) {
      auto settings = others;
      settings.push_back("workload.prompt_tokens=" + std::to_string(prompt));
      const auto m = measure(folder, model, settings);
      std::string all = model;
      for (const std::string& one : settings)
        all += "\n" + one;
      INFO("case " << i << ": " << all);
      CHECK(m.at("ttft_ms.p50").get<double>() >= first);
      CHECK(m.at("latency_ms.p50").get<double>() >= whole);
      first = m.at("ttft_ms.p50");
      whole = m.at("latency_ms.p50");
      double parts = 0;
      for (const char* part : {"queue", "prefill", "transfer", "first_decode"})
        parts += m.at(std::string("ttft_part_ms.") + part).get<double>();
      CHECK(parts == Approx(m.at("ttft_ms.mean").get<double>()).epsilon(1e-9));
      prompt += 1 + random.below(60);
    }
  }
}

TEST_CASE("chunks of hundreds of tokens get through faster than single tokens") {
  scratch_folder folder;
  const auto first_token_ms = [&](const char* chunk) {
    return measure(folder, data("tiny_experts.json"),
                   {"workload.users=1", "workload.requests=1", "workload.prompt_tokens=2000",
                    "workload.output_tokens=2", std::string("workload.chunk_tokens=") + chunk})
        .at("ttft_ms.p50")
        .get<double>();
  };
  const double single = first_token_ms("1");
  const double dozens = first_token_ms("16");
  const double hundreds = first_token_ms("256");
  CHECK(dozens < single / 2);
  CHECK(hundreds < single / 2);
}
