// The reduces of HPDC'24 on WSE-2 as they were measured.
#pragma once

#include "firmware_stubs/collectives/collective.h"
#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"

namespace scribeline::validation {

// Between the begin timestamp and the reduce: the call of the kernel, a taken branch, and 35 cycles that no published
// mechanism explains (the measurement's alignment of start times is the likely place). Fitted on one row, the chain of
// one word, and the same for all patterns and lengths.
inline constexpr std::int64_t wse2_call_cycles = 6 + 35;

inline fabric::run_result run_to_the_end(const fabric::program& p, const fabric::fabric_chip& chip) {
  fabric::wavelet_engine engine(p, chip);
  fabric::run_result result = engine.run();
  if (result.outcome != fabric::run_outcome::finished) throw std::runtime_error(p.name + ": " + result.explanation);
  return result;
}

// Cycles at the root of a line of cores.
inline std::int64_t wse2_reduce_cycles(int cores, int words, const collectives::reduce_plan& plan) {
  const fabric::fabric_chip chip = fabric::wse2_chip();
  const collectives::vector_spec v{fabric::element_type::fp32, words, 0};
  const fabric::run_result result =
      run_to_the_end(collectives::reduce_rows(chip, cores, 1, v, plan, {wse2_call_cycles}), chip);
  return (result.at({0, 0}, collectives::end_mark) - result.at({0, 0}, collectives::begin_mark)).value();
}

}  // namespace scribeline::validation
