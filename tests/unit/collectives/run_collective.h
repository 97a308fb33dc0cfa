// Runs a collective with values that the test chooses and compares with what the host computes.
#pragma once

#include <catch2/catch.hpp>

#include <vector>

#include "firmware_stubs/collectives/collective.h"
#include "rtl_tlm/fabric/program/validate.h"
#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"

namespace scribeline::collectives::test {

// Small integers: sums are exact in every element type, whatever the order.
inline double element(fabric::coordinate c, int i) {
  return (7 * c.column + 3 * c.row + i) % 5 - 1;
}

inline fabric::wavelet_engine loaded_engine(const fabric::program& p, const fabric::fabric_chip& chip,
                                            const vector_spec& v) {
  fabric::run_options options;
  options.values = true;
  fabric::wavelet_engine engine(p, chip, options);
  for (int row = 0; row < p.rows; ++row)
    for (int column = 0; column < p.columns; ++column) {
      std::vector<double> values;
      for (int i = 0; i < v.elements; ++i)
        values.push_back(element({column, row}, i));
      engine.write_vector({column, row}, v.address, v.type, values);
    }
  return engine;
}

inline fabric::run_result finished_run(fabric::wavelet_engine& engine) {
  fabric::run_result result = engine.run();
  INFO(result.explanation);
  REQUIRE(result.outcome == fabric::run_outcome::finished);
  return result;
}

inline std::vector<double> sum_over(const fabric::region& cores, const vector_spec& v) {
  std::vector<double> sums(static_cast<std::size_t>(v.elements), 0);
  for (int row = 0; row < cores.rows; ++row)
    for (int column = 0; column < cores.columns; ++column)
      for (int i = 0; i < v.elements; ++i)
        sums[static_cast<std::size_t>(i)] += element({cores.first.column + column, cores.first.row + row}, i);
  return sums;
}

}  // namespace scribeline::collectives::test
