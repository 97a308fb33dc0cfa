#include "rtl_tlm/link/fec.h"

#include <cmath>

namespace scribeline::link {

namespace {

// C(n, k) p^k (1-p)^(n-k)
double binomial_term(int n, int k, double p) {
  double logarithm = k * std::log(p) + (n - k) * std::log1p(-p);
  for (int i = 1; i <= k; ++i)
    logarithm += std::log(static_cast<double>(n - k + i) / i);
  return std::exp(logarithm);
}

}  // namespace

double symbol_error_probability(const reed_solomon& code, double bit_error_rate) {
  return -std::expm1(code.symbol_bits * std::log1p(-bit_error_rate));
}

double codeword_failure_probability(const reed_solomon& code, double bit_error_rate) {
  const double p = symbol_error_probability(code, bit_error_rate);
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  const int n = code.symbols;
  const int t = code.correctable_symbols();
  // The shorter tail, from its largest term down: each follows from the one before by their ratio.
  if (n * p > t) {
    double term = binomial_term(n, t, p);
    double corrected = 0;
    for (int k = t; k >= 0; --k) {
      corrected += term;
      term *= static_cast<double>(k) / (n - k + 1) * (1 - p) / p;
    }
    return 1 - corrected;
  }
  double term = binomial_term(n, t + 1, p);
  double failed = 0;
  for (int k = t + 1; k <= n; ++k) {
    failed += term;
    term *= static_cast<double>(n - k) / (k + 1) * p / (1 - p);
  }
  return failed;
}

double frame_error_probability(const reed_solomon& code, double bit_error_rate, std::int64_t wire_bits) {
  const double codewords = 1 + static_cast<double>(wire_bits - 1) / static_cast<double>(code.data_bits());
  return -std::expm1(codewords * std::log1p(-codeword_failure_probability(code, bit_error_rate)));
}

}  // namespace scribeline::link
