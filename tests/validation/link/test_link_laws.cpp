#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/validation/link/link_laws.h"

using namespace scribeline::validation;

// 10,000 errors leave 1 % of statistical error in the loss.
TEST_CASE("retry at a bit error rate of 1e-6: 54.1 % of the rate, over 10,000 errors") {
  const retry_goodput g = simulate_retry(1e-6, 10'000);
  CHECK(g.errors >= 10'000);
  CHECK(g.closed_form == Approx(0.541).epsilon(0.001));
  CHECK(g.simulated == Approx(g.closed_form).epsilon(0.01));
}

TEST_CASE("retry at a bit error rate of 1e-7: 92.3 % of the rate, over 10,000 errors") {
  const retry_goodput g = simulate_retry(1e-7, 10'000);
  CHECK(g.errors >= 10'000);
  CHECK(g.closed_form == Approx(0.923).epsilon(0.001));
  CHECK(g.simulated == Approx(g.closed_form).epsilon(0.01));
}

TEST_CASE("retry at a bit error rate of 1e-8: 99.17 % of the rate, over 10,000 errors") {
  const retry_goodput g = simulate_retry(1e-8, 10'000);
  CHECK(g.errors >= 10'000);
  CHECK(g.closed_form == Approx(0.9917).epsilon(0.0001));
  CHECK(g.simulated == Approx(g.closed_form).epsilon(0.001));
}

TEST_CASE("full rate at 800 Gb/s takes 100 B of credit per ns of round trip, within 2 percent") {
  std::vector<std::int64_t> frames;
  for (std::int64_t n = 40; n <= 120; ++n)
    frames.push_back(n);
  double knee = 0;
  for (const credit_point& p : simulate_credits(4000, frames)) {
    INFO(p.frames << " frames of credit");
    // Below the knee credit goes round: 4096 of 4126 B on the wire are payload.
    CHECK(p.share_of_rate == Approx(std::min(1., p.bytes_per_ns * 4126 / 4096 / 100)).epsilon(0.002));
    if (knee == 0 && p.share_of_rate > 0.999) knee = p.bytes_per_ns;
  }
  CHECK(knee == Approx(100).epsilon(0.02));
}
