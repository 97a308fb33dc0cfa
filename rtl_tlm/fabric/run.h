// What a run of a fabric program takes and gives, the same for every engine.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "rtl_tlm/base/units.h"
#include "rtl_tlm/fabric/link_lengths.h"
#include "rtl_tlm/fabric/program/geometry.h"
#include "rtl_tlm/fabric/program/vector_op.h"

namespace scribeline::fabric {

enum class engine_kind {
  wavelet,  // word by word
  burst,    // stream by stream: no values, no observer
};

struct run_options {
  bool values = false;          // words carry values, SRAM has contents
  bool bank_conflicts = false;  // operands that meet in one SRAM bank cost extra cycles
  bool merge_wires = true;      // shortcut of the wavelet engine that changes no cycle; off to see every queue
  base::cycles limit{std::numeric_limits<std::int32_t>::max()};  // give up here
  // Hops of every link; null: one each. Columns and rows are those of the program.
  std::shared_ptr<const link_lengths> lengths;
  bool link_loads = false;  // counts the words of every link: 16 B a core of the burst engine; the wavelet engine
                            // always does
};

enum class run_outcome {
  finished,     // every task ran to its end and no word is left
  no_progress,  // something waits for what never comes: see waits
  violation,    // two words of one color entered a router at once: see violation
  cycle_limit,  // still busy at run_options::limit
};

// A cycle counter that a task read.
struct timestamp_record {
  coordinate where;
  std::uint16_t mark = 0;
  base::cycles cycle;
};

// One link of a chain of waits: who waits, for what.
struct wait_link {
  coordinate where;
  color_id color = 0;
  std::string text;
};

struct run_result {
  run_outcome outcome = run_outcome::finished;
  base::cycles cycles;                       // from the start to the last action of any core or router
  std::int64_t word_hops = 0;                // words over links between routers
  std::int64_t ramp_words = 0;               // words between routers and their cores, both ways
  std::vector<timestamp_record> timestamps;  // by cycle, then row, column, mark
  // no_progress: the chain of who waits for whom. In a cyclic wait the last link waits for the first.
  std::vector<wait_link> waits;
  bool cyclic_wait = false;
  std::string violation;
  // For people: empty when finished.
  std::string explanation;

  // The cycle of a mark at a core; throws std::out_of_range when it was not reached.
  base::cycles at(coordinate where, std::uint16_t mark) const;
};

}  // namespace scribeline::fabric
