#include "rtl_tlm/link/fec.h"

#include <cmath>

namespace scribeline::link {

double symbol_error_probability(const reed_solomon& code, double bit_error_rate) {
  return -std::expm1(code.symbol_bits * std::log1p(-bit_error_rate));
}

double codeword_failure_probability(const reed_solomon& code, double bit_error_rate) {
  const double p = symbol_error_probability(code, bit_error_rate);
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  // log of C(n, k) p^k (1-p)^(n-k) for the first k beyond correction; the others follow by their ratio.
  const int n = code.symbols;
  const int first = code.correctable_symbols() + 1;
  double log_term = first * std::log(p) + (n - first) * std::log1p(-p);
  for (int i = 1; i <= first; ++i)
    log_term += std::log(static_cast<double>(n - first + i) / i);
  double term = std::exp(log_term);
  double sum = 0;
  for (int k = first; k <= n; ++k) {
    sum += term;
    term *= static_cast<double>(n - k) / (k + 1) * p / (1 - p);
  }
  return sum < 1 ? sum : 1;
}

double frame_error_probability(const reed_solomon& code, double bit_error_rate, std::int64_t wire_bits) {
  const double codewords = 1 + static_cast<double>(wire_bits - 1) / static_cast<double>(code.data_bits());
  return -std::expm1(codewords * std::log1p(-codeword_failure_probability(code, bit_error_rate)));
}

}  // namespace scribeline::link
