// Collectives of launch descriptors, timed by running them as fabric programs.
//
// Reduces use the pattern that the closed form prefers for the size; a transfer is a broadcast along its hops. One line
// is simulated, since all lines of a descriptor do the same without touching each other; vectors of more than 4,096
// words go in rounds. Every distinct collective runs
// once; the result is reused for the rest of the run.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "rtl_tlm/fabric/run.h"
#include "rtl_tlm/wafer/wafer_config.h"

namespace scribeline::kernels {

class simulated_collectives final : public wafer::collective_timing {
 public:
  // The chip's hop and ramps follow `config.fabric`, so that what a scenario changes there is simulated.
  simulated_collectives(const wafer::wafer_config& config, fabric::engine_kind engine);

  // Throws base::no_progress if the program stands still.
  double cycles(wafer::opcode op, std::int64_t words, std::int64_t line) override;

  // One simulated collective beside its closed form.
  struct comparison {
    wafer::opcode op;
    std::int64_t words, line;
    double simulated, closed_form;
  };
  // In order of opcode, words, line.
  std::vector<comparison> comparisons() const;

 private:
  double simulate(wafer::opcode op, int words, int line) const;

  fabric::engine_kind engine_;
  fabric::fabric_timing timing_;
  fabric::fabric_chip chip_;
  std::map<std::tuple<wafer::opcode, std::int64_t, std::int64_t>, double> known_;
};

}  // namespace scribeline::kernels
