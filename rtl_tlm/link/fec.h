// Forward error correction: how often what it cannot correct destroys a frame.
#pragma once

#include <cstdint>

namespace scribeline::link {

// A Reed-Solomon code that corrects up to half its parity symbols, whatever the errors inside a symbol are.
struct reed_solomon {
  int symbols = 544;
  int data_symbols = 514;
  int symbol_bits = 10;

  constexpr int correctable_symbols() const { return (symbols - data_symbols) / 2; }
  constexpr std::int64_t data_bits() const { return std::int64_t{data_symbols} * symbol_bits; }
};

// RS(544,514), t = 15: the code of 100 G and faster lanes (IEEE 802.3 clause 91, "KP4"), 200 G to 1.6 T ports included.
constexpr reed_solomon rs_544_514{};

// Time from a codeword's first bit to its corrected first bit at 800 Gb/s. Scale-up Ethernet latency budgets count 63
// ns.
constexpr double rs_544_514_latency_ns = 63;

// Bit errors are independent. Probability that a symbol has at least one:
double symbol_error_probability(const reed_solomon& code, double bit_error_rate);

// ... and that a codeword has more bad symbols than can be corrected: the binomial tail, summed to the last digit.
double codeword_failure_probability(const reed_solomon& code, double bit_error_rate);

// A frame is lost with any of the codewords that carry its bits: 1 + (bits - 1) / data bits of a codeword on the
// average over its position. Probability that a frame of `wire_bits` is.
double frame_error_probability(const reed_solomon& code, double bit_error_rate, std::int64_t wire_bits);

}  // namespace scribeline::link
