// The reference engine: a fabric program cycle by cycle, every word of every color through every router.
//
// Timing rules: see fabric_chip and core::core_timing. It models queues and back-pressure, turns of colors on links and
// ramps, switch positions moved by control words, multicast that waits for its slowest branch, task scheduling,
// microthreads that share the datapath, and optionally values, SRAM bank conflicts and links of several hops.
// It does not model: clock skew, energy. The scalar code of the main thread does not take datapath steps from
// microthreads.
//
// A run that stops without having finished says why: who waits for whom, or where words met. Results do not depend on
// the order in which cores are visited; only cores with something to do are.
//
//   wavelet_engine engine(program, wse2_chip());
//   run_result result = engine.run();
//
// The constructor throws program_error when the program is invalid.
#pragma once

#include <memory>
#include <vector>

#include "rtl_tlm/fabric/chip.h"
#include "rtl_tlm/fabric/program/program.h"
#include "rtl_tlm/fabric/run.h"

namespace scribeline::fabric {

struct wavelet_state;

class wavelet_engine {
 public:
  wavelet_engine(const program& p, const fabric_chip& chip, const run_options& options = {});
  ~wavelet_engine();
  wavelet_engine(wavelet_engine&&) noexcept;
  wavelet_engine& operator=(wavelet_engine&&) noexcept;

  // Runs until nothing moves any more or a limit is reached. Calling it again continues after a cycle limit.
  run_result run();
  // The same, but not beyond a cycle.
  run_result run_until(base::cycles cycle);
  // The same without a result, which is what takes time: for those that watch a run cycle by cycle. False when nothing
  // moves any more.
  bool advance_to(base::cycles cycle);
  // For probes (wavelet_probe.h): everything, as it is before cycle now().
  const wavelet_state& state() const { return *state_; }
  base::cycles now() const { return base::cycles{now_}; }

  // --- values (throw std::logic_error unless run_options::values is set, std::out_of_range outside core or SRAM)
  // -------
  void write_sram(coordinate core, int address, const void* from, int bytes);
  void read_sram(coordinate core, int address, void* to, int bytes) const;
  bool has_values() const;
  // The contents of all SRAM, taken from an engine of as many columns and rows whose program has ended.
  void take_sram_of(wavelet_engine& before);
  // Elements, converted from and to numbers.
  void write_vector(coordinate core, int address, element_type type, const std::vector<double>& values);
  std::vector<double> read_vector(coordinate core, int address, element_type type, int elements) const;

  // --- the edge
  // -------------------------------------------------------------------------------------------------------- The words
  // that an edge input sends into a core; without them words count from 0.
  void set_edge_words(coordinate core, port side, color_id color, std::vector<std::uint32_t> words);
  struct edge_record {
    std::int64_t words = 0;
    base::cycles first, last;           // when they left
    std::vector<std::uint32_t> values;  // when words carry values
  };
  edge_record edge_output_record(coordinate core, port side, color_id color) const;

  // --- statistics
  // ------------------------------------------------------------------------------------------------------ Words that
  // entered the router of a core through a side (the ramp: from its core), all colors.
  std::int64_t words_in(coordinate core, port side) const;
  // Words that the ramp delivered to a core.
  std::int64_t words_to_core(coordinate core) const;
  // Memory of the run's arrays.
  std::size_t memory_bytes() const;

 private:
  std::unique_ptr<wavelet_state> state_;
  std::uint32_t now_ = 0;
};

}  // namespace scribeline::fabric
