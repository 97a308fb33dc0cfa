// A whole-wafer collective for speed measurements.
#pragma once

#include "rtl_tlm/fabric/program/program.h"

namespace scribeline::bench {

// All cores get the sum of all vectors: every row adds up to column 0, column 0 to the corner, and the sum floods back.
// Chains stream: a core adds its own vector to what passes.
inline fabric::program xy_all_reduce(int columns, int rows, int words) {
  using namespace fabric;
  program p("X-Y all-reduce", columns, rows);
  const element_type f32 = element_type::fp32;
  constexpr color_id flood = 4;
  const auto row_color = [](int column) { return column % 2; };
  const auto column_color = [](int row) { return 2 + row % 2; };
  for (int parity = 0; parity < 2; ++parity) {
    const region row_receivers{{parity, 0}, (columns - parity) / 2, rows, 2, 1};
    const region row_senders{{1 + parity, 0}, (columns - parity) / 2, rows, 2, 1};
    p.add_route(row_receivers, row_color(parity), port::east, port::ramp);
    p.bind_input(row_receivers, 0, row_color(parity));
    p.add_route(row_senders, row_color(parity), port::ramp, port::west).bind_output(row_senders, 0, row_color(parity));
    const region column_receivers{{0, parity}, 1, (rows - parity) / 2, 1, 2};
    const region column_senders{{0, 1 + parity}, 1, (rows - parity) / 2, 1, 2};
    p.add_route(column_receivers, column_color(parity), port::south, port::ramp);
    p.bind_input(column_receivers, 1, column_color(parity));
    p.add_route(column_senders, column_color(parity), port::ramp, port::north);
    p.bind_output(column_senders, 1, column_color(parity));
  }
  p.add_route(core_at(0, 0), flood, port::ramp, {port::east, port::south}).bind_output(core_at(0, 0), 2, flood);
  p.add_route(rectangle(0, 1, 1, rows - 2), flood, port::north, {port::ramp, port::east, port::south});
  p.add_route(core_at(0, rows - 1), flood, port::north, {port::ramp, port::east});
  p.add_route(rectangle(1, 0, columns - 2, rows), flood, port::west, {port::ramp, port::east});
  p.add_route(rectangle(columns - 1, 0, 1, rows), flood, port::west, port::ramp);
  p.bind_input(rectangle(1, 0, columns - 1, rows), 2, flood).bind_input(rectangle(0, 1, 1, rows - 1), 2, flood);

  const vector_op take_sum = copy(f32, sram(0), fabric_in(2), words);
  p.add_start_task(rectangle(columns - 1, 0, 1, rows), 8, "end of row",
                   {copy(f32, fabric_out(0), sram(0), words), take_sum});
  p.add_start_task(rectangle(1, 0, columns - 2, rows), 8, "row",
                   {add(f32, fabric_out(0), fabric_in(0), sram(0), words), take_sum});
  const vector_op row_sum = add(f32, sram(0), fabric_in(0), sram(0), words);
  p.add_start_task(core_at(0, rows - 1), 8, "end of column",
                   {row_sum, copy(f32, fabric_out(1), sram(0), words), take_sum});
  p.add_start_task(rectangle(0, 1, 1, rows - 2), 8, "column",
                   {row_sum, add(f32, fabric_out(1), fabric_in(1), sram(0), words), take_sum});
  p.add_start_task(core_at(0, 0), 8, "corner",
                   {row_sum, add(f32, sram(0), fabric_in(1), sram(0), words), copy(f32, fabric_out(2), sram(0), words),
                    timestamp{1}});
  return p;
}

}  // namespace scribeline::bench
