// The vectors that cores start with, and the host's own result to compare with.
//
// Values are seeded by run.seed and place, and so small that every partial sum is exact in the element type: the order
// in which cores combine them does not matter, and the comparison is bit by bit. (fp16 and bf16 hold few integers
// exactly: on many cores most of their values are zero.)
#pragma once

#include <cstdint>

#include "rtl_tlm/fabric/wavelet_engine.h"
#include "scenarios/wafer_fabric/collective_choice.h"

namespace scribeline::scenarios {

class value_check {
 public:
  value_check(const collective_settings& settings, int columns, int rows, std::uint64_t seed);

  // The vectors, before the run.
  void write(fabric::wavelet_engine& engine) const;
  // Elements compared, over all cores that hold a result. Throws std::runtime_error with the first that differs.
  std::int64_t check(const fabric::wavelet_engine& engine) const;

 private:
  double value(fabric::coordinate core, int element) const;
  std::vector<double> vector_of(fabric::coordinate core) const;
  // What the cores of a rectangle have to come to.
  std::vector<double> combined(const fabric::region& cores) const;
  void compare(const fabric::wavelet_engine& engine, fabric::coordinate core,
               const std::vector<double>& expected) const;

  collective_settings settings_;
  collectives::vector_spec vector_;
  int columns_;
  int rows_;
  std::uint64_t seed_;
};

}  // namespace scribeline::scenarios
