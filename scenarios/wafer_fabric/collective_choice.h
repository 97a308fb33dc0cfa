// The collectives that a scenario can name: their programs, closed forms and bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firmware_stubs/collectives/collective.h"
#include "rtl_tlm/fabric/formula/formula.h"

namespace scribeline::scenarios {

enum class collective {
  reduce_rows,
  reduce_xy,
  reduce_snake,
  broadcast,
  all_reduce_rows,
  all_reduce_xy,
  all_reduce_ring,
  all_reduce_two_tree,
  all_to_all,
  scatter,
  gather,
  edge_multicast,
};

// Names as scenario files spell them.
const std::vector<std::pair<std::string, collective>>& collective_names();
const std::vector<std::pair<std::string, collectives::reduce_kind>>& pattern_names();

struct collective_settings {
  collective what = collective::all_reduce_xy;
  collectives::reduce_kind pattern = collectives::reduce_kind::two_phase;         // along rows
  collectives::reduce_kind column_pattern = collectives::reduce_kind::two_phase;  // along the column of row roots
  int group = 0;                                                                  // of two-phase; 0: the best
  int column_group = 0;
  int groups = 0;                                    // of two-tree; 0: the best
  collectives::axis along = collectives::axis::row;  // of what works on lines
  std::int64_t words = 256;                          // of the vector on every core, or of every chunk
  fabric::element_type type = fabric::element_type::fp32;
  fabric::opcode op = fabric::opcode::add;
  std::int64_t call_cycles = 0;

  bool has_pattern() const;         // a reduce along rows
  bool has_column_pattern() const;  // and along the column of their roots
  bool has_axis() const;            // lines along `along`; the rest that works on lines takes rows
  bool combines() const;            // vectors by `op`
  bool moves_chunks() const;        // all-to-all, scatter, gather

  // The lines, or the one rectangle, that work without touching each other.
  std::vector<fabric::region> teams(int columns, int rows) const;
  // The vector, or one chunk.
  collectives::vector_spec vector() const;
  // Where scatter, gather and all-to-all put what they bring: chunk i of a team of `cores`.
  int target_address(int cores) const;
  int staging_address(int cores) const;
};

// Throws base::bad_input for what the pattern or the chip cannot do.
fabric::program program_of(const collective_settings& settings, const fabric::fabric_chip& chip, int columns, int rows);

// With the ramps and hops of `timing`: HPDC'24, or the forms in its manner of formula_exchange.h.
base::cycles closed_form(const collective_settings& settings, const fabric::fabric_timing& timing, int columns,
                         int rows);

// No program can be faster. Either the last word of the farthest core that a result depends on leaves that core after
// all others, and travels; or all words of the busiest ramp or link pass it one by one.
struct cycle_bound {
  base::cycles cycles;
  const char* binds;
};
cycle_bound least_cycles(const collective_settings& settings, const fabric::fabric_timing& timing, int columns,
                         int rows);

// The lower bound of HPDC'24 for a reduce of a line; nothing for other collectives.
std::optional<base::cycles> paper_bound(const collective_settings& settings, const fabric::fabric_timing& timing,
                                        int columns);

}  // namespace scribeline::scenarios
