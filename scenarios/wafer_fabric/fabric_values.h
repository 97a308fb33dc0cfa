// The vectors that cores start with, and the host's own result to compare with.
//
// Values are seeded by run.seed and place, and so small that every partial sum is exact in the element type: the order
// in which cores combine them does not matter, and the comparison is bit by bit. (fp16 and bf16 hold few integers
// exactly: on many cores most of their values are zero.)
#pragma once

#include <cstdint>
#include <vector>

#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"
#include "scenarios/wafer_fabric/collective_choice.h"

namespace scribeline::scenarios {

class value_check {
 public:
  value_check(const collective_settings& settings, int columns, int rows, std::uint64_t seed);

  // The vectors, before the run; words that come from outside go to the edge input of the program.
  void write(fabric::wavelet_engine& engine, const fabric::program& running) const;
  // Elements compared, over all cores that hold a result. Throws std::runtime_error with the first that differs.
  std::int64_t check(const fabric::wavelet_engine& engine) const;

 private:
  using values = std::vector<double>;

  // Of vector `number` of a core: scatter and all-to-all have several.
  values vector_of(fabric::coordinate core, int number = 0) const;
  double value(fabric::coordinate core, int element) const;
  // What the vectors of a team come to.
  values combined(const fabric::region& team) const;

  std::int64_t check_team(const fabric::wavelet_engine& engine, const fabric::region& team) const;
  std::int64_t check_chunks(const fabric::wavelet_engine& engine, const fabric::region& team) const;
  std::int64_t compare(const fabric::wavelet_engine& engine, fabric::coordinate core, int address,
                       const values& expected) const;
  int vectors_per_core() const;
  bool spreads_result() const;

  collective_settings settings_;
  collectives::vector_spec vector_;
  int columns_;
  int rows_;
  std::uint64_t seed_;
  int team_size_;
};

}  // namespace scribeline::scenarios
