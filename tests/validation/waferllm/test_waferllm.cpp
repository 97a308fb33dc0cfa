// Published times of WaferLLM on WSE-2 against its programs on the model, with one set of constants.
#include <catch2/catch.hpp>

#include "tests/validation/waferllm/waferllm_rows.h"

using namespace scribeline;
using namespace scribeline::validation;

namespace {

error_summary errors_of(const std::string& phase) {
  error_summary errors;
  for (const test::csv_row& row : waferllm_rows(phase))
    errors.add(tokens_per_s(row, {}), std::stod(row.at("value")));
  return errors;
}

}  // namespace

TEST_CASE("measured decode speeds of WaferLLM are met within 3 percent in the mean, 5 percent at worst") {
  const error_summary errors = errors_of("decode");
  CHECK(errors.rows() == 6);
  CHECK(errors.mean() <= 3);
  CHECK(errors.worst() <= 5);
}

TEST_CASE("measured prefill speeds of WaferLLM are met within 4 percent in the mean, 6 percent at worst") {
  const error_summary errors = errors_of("prefill");
  CHECK(errors.rows() == 6);
  CHECK(errors.mean() <= 4);
  CHECK(errors.worst() <= 6);
}

TEST_CASE("measured single products of WaferLLM are met within 3 percent without calls, on 720 x 720 cores") {
  for (const test::csv_row& row : waferllm_rows("gemv")) {
    const double measured = 1000 * std::stod(row.at("value"));
    const double modelled = gemv_us(row, streaming_without_calls(), 720);
    INFO(row.at("model") << ": measured " << measured << " us, modelled " << modelled);
    CHECK(std::abs(modelled - measured) <= 0.03 * measured);
  }
}

TEST_CASE("stream by stream, WaferLLM's layers and products take what they take word by word, within 1 percent") {
  for (const scenarios::waferllm_settings& by_words : {scenarios::waferllm_settings{}, with_streaming_relays()})
    for (const std::string phase : {"decode", "prefill", "gemv"})
      for (const test::csv_row& row : waferllm_rows(phase)) {
        scenarios::waferllm_settings by_streams = by_words;
        by_streams.engine = fabric::engine_kind::burst;
        const auto time = [&](const scenarios::waferllm_settings& s) {
          return phase == "gemv" ? gemv_us(row, s, 720) : 1 / tokens_per_s(row, s);
        };
        const double difference = 100 * (time(by_streams) / time(by_words) - 1);
        INFO(phase << " of " << row.at("model") << " on side " << row.at("side") << ": " << difference << " %");
        CHECK(std::abs(difference) <= 1);
      }
}
