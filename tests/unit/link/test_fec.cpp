#include <catch2/catch.hpp>
#include <cmath>

#include "rtl_tlm/link/error_config.h"

using namespace scribeline::link;

TEST_CASE("RS(544,514) corrects 15 symbols of 10 bits and carries 5140") {
  CHECK(rs_544_514.correctable_symbols() == 15);
  CHECK(rs_544_514.data_bits() == 5140);
}

TEST_CASE("a code small enough to be done by hand") {
  // 4 symbols of 1 bit, 1 of them correctable, every tenth bit bad: 6 x 0.01 x 0.81 + 4 x 0.001 x 0.9 + 0.0001.
  const reed_solomon code{4, 2, 1};
  CHECK(code.correctable_symbols() == 1);
  CHECK(codeword_failure_probability(code, 0.1) == Approx(0.0523).epsilon(1e-12));
  // Of 3 bits each: a symbol is bad with 1 - 0.9^3 = 0.271.
  CHECK(symbol_error_probability({4, 2, 3}, 0.1) == Approx(0.271).epsilon(1e-12));
  // 1 frame of 5 bits on codewords of 2 data bits touches 3 on the average: 1 - (1 - 0.0523)^3.
  CHECK(frame_error_probability(code, 0.1, 5) == Approx(1 - 0.9477 * 0.9477 * 0.9477).epsilon(1e-12));
}

TEST_CASE("RS(544,514) after bit errors, against the binomial tail in exact arithmetic") {
  // Computed with 40 digits: sum over k > 15 of C(544, k) p^k (1-p)^(544-k), p = 1 - (1-BER)^10.
  const std::pair<double, double> exact[] = {{1e-2, 9.999999996174e-01}, {1e-3, 1.530258592806e-04},
                                             {3e-4, 2.143222910735e-11}, {2.4e-4, 8.151573399330e-13},
                                             {1e-4, 1.359811064764e-18}, {1e-5, 2.139669774308e-34}};
  for (const auto& [ber, probability] : exact) {
    INFO("bit error rate " << ber);
    CHECK(codeword_failure_probability(rs_544_514, ber) == Approx(probability).epsilon(1e-9));
  }
  CHECK(symbol_error_probability(rs_544_514, 1e-3) == Approx(9.9551197903e-03).epsilon(1e-10));
  CHECK(frame_error_probability(rs_544_514, 2.4e-4, 33'120) == Approx(6.0675300911e-12).epsilon(1e-9));
  CHECK(codeword_failure_probability(rs_544_514, 0) == 0);
  CHECK(codeword_failure_probability(rs_544_514, 0.5) == Approx(1));
}

TEST_CASE("errors fall as often as they should, on bits, codewords and frames") {
  const std::uint64_t seed = 4711;
  INFO("seed " << seed);
  constexpr std::int64_t frames = 2'000'000;
  const auto rate = [](error_process errors, std::int64_t bits) {
    std::int64_t bad = 0;
    for (std::int64_t i = 0; i < frames; ++i)
      bad += errors.hits(bits) ? 1 : 0;
    return static_cast<double>(bad) / frames;
  };
  // Four standard deviations of the count.
  const auto near = [](double p) { return Approx(p).margin(4 * std::sqrt(p * (1 - p) / frames)); };
  CHECK(rate({1e-6, 1, seed}, 33'120) == near(1 - std::pow(1 - 1e-6, 33'120)));
  CHECK(rate({1e-2, 1, seed}, 100) == near(1 - std::pow(0.99, 100)));
  CHECK(rate({0.3, 1, seed}, 1) == near(0.3));
  // Frames of half a codeword: each touches one. A bad codeword hits both, so twice the variance.
  CHECK(rate({0.01, 1000, seed}, 500) == Approx(0.01).margin(4 * std::sqrt(2 * 0.01 / frames)));
  // Frames of 2.5 codewords touch 3 or 4, at any position in steps of a half: 3 whenever they begin at a boundary or a
  // half.
  CHECK(rate({0.01, 1000, seed}, 2500) == Approx(1 - std::pow(0.99, 3)).epsilon(0.02));
  CHECK(rate({0, 1, seed}, 33'120) == 0);
  CHECK(rate({1, 1, seed}, 1) == 1);
  CHECK(rate({1e-18, 1, seed}, 33'120) == 0);
}

TEST_CASE("a stream of bits has the same errors however it is cut into frames") {
  const std::uint64_t seed = 12;
  INFO("seed " << seed);
  error_process bits{1e-3, 1, seed}, pieces{1e-3, 1, seed};
  scribeline::base::random_stream random{seed};
  for (int i = 0; i < 20'000; ++i) {
    const auto length = static_cast<std::int64_t>(1 + random.below(300));
    bool any = false;
    for (std::int64_t b = 0; b < length; ++b)
      any |= bits.hits(1);
    REQUIRE(pieces.hits(length) == any);
  }
}

TEST_CASE("control messages are lost as their 64 bits fare, or as given") {
  error_config c;
  CHECK(control_loss(c) == 0);
  c.bit_error_rate = 1e-3;
  CHECK(control_loss(c) == Approx(1 - std::pow(0.999, 64)));
  c.fec = fec_code::rs544;
  CHECK(control_loss(c) == Approx(1.530258592806e-04 * (1 + 63 / 5140.)).epsilon(1e-4));
  c.control_error_rate = 0.25;
  CHECK(control_loss(c) == 0.25);
}
