// The collectives that a scenario can name: their programs, closed forms and bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firmware_stubs/collectives/collective.h"
#include "rtl_tlm/fabric/formula.h"

namespace scribeline::scenarios {

enum class collective { reduce_rows, reduce_xy, reduce_snake, broadcast, all_reduce_rows, all_reduce_xy };

// Names as scenario files spell them.
const std::vector<std::pair<std::string, collective>>& collective_names();
const std::vector<std::pair<std::string, collectives::reduce_kind>>& pattern_names();

struct collective_settings {
  collective what = collective::all_reduce_xy;
  collectives::reduce_kind pattern = collectives::reduce_kind::two_phase;         // along rows
  collectives::reduce_kind column_pattern = collectives::reduce_kind::two_phase;  // along the column of row roots
  int group = 0;                                                                  // of two-phase; 0: the best
  int column_group = 0;
  std::int64_t words = 256;  // of the vector on every core
  fabric::element_type type = fabric::element_type::fp32;
  fabric::opcode op = fabric::opcode::add;
  std::int64_t call_cycles = 0;

  bool reduces_rows() const { return what != collective::reduce_snake && what != collective::broadcast; }
  bool reduces_columns() const { return what == collective::reduce_xy || what == collective::all_reduce_xy; }
  bool reduces() const { return what != collective::broadcast; }
  // The result is on every core of its rows or rectangle.
  bool spreads_result() const {
    return what == collective::broadcast || what == collective::all_reduce_rows || what == collective::all_reduce_xy;
  }
  // Every row is a collective of its own.
  bool by_rows() const { return what == collective::reduce_rows || what == collective::all_reduce_rows; }
  collectives::vector_spec vector() const;
};

// Throws base::bad_input for what the pattern or the chip cannot do.
fabric::program program_of(const collective_settings& settings, const fabric::fabric_chip& chip, int columns, int rows);

// HPDC'24 with the ramps and hops of `timing`.
base::cycles closed_form(const collective_settings& settings, const fabric::fabric_timing& timing, int columns,
                         int rows);

// No program can be faster: the last word of the farthest core that a result depends on leaves that core after all
// others, and travels.
base::cycles distance_bound(const collective_settings& settings, const fabric::fabric_timing& timing, int columns,
                            int rows);

// The lower bound of HPDC'24 for a reduce of a line; nothing for other collectives.
std::optional<base::cycles> paper_bound(const collective_settings& settings, const fabric::fabric_timing& timing,
                                        int columns);

}  // namespace scribeline::scenarios
