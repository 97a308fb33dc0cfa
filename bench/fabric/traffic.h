// Fabric programs that keep routers busy, for speed measurements.
#pragma once

#include "rtl_tlm/fabric/program/program.h"

namespace scribeline::bench {

// Words enter every row and column from both ends and leave at the other: four words per router and cycle. Several
// colors in every direction share the links word by word.
inline fabric::program crossing_streams(int columns, int rows, int words, int colors_per_direction = 1) {
  using namespace fabric;
  program p("crossing streams", columns, rows);
  const auto stream = [&](color_id color, const region& from, const region& to, port back, port ahead) {
    p.add_route(p.all(), color, back, ahead);
    p.add_edge_input({from, back, color, words, 1, 1}).add_edge_output({to, ahead, color});
  };
  const region west = rectangle(0, 0, 1, rows);
  const region east = rectangle(columns - 1, 0, 1, rows);
  const region north = rectangle(0, 0, columns, 1);
  const region south = rectangle(0, rows - 1, columns, 1);
  for (int copy = 0; copy < colors_per_direction; ++copy) {
    stream(4 * copy, west, east, port::west, port::east);
    stream(4 * copy + 1, east, west, port::east, port::west);
    stream(4 * copy + 2, north, south, port::north, port::south);
    stream(4 * copy + 3, south, north, port::south, port::north);
  }
  return p;
}

// Every row is a chain that adds up the vectors of its cores: link, ramp, datapath and ramp for each word.
inline fabric::program row_chains(int columns, int rows, int words) {
  using namespace fabric;
  program p("row chains", columns, rows);
  const element_type f32 = element_type::fp32;
  const auto color_in = [](int column) { return column % 2; };
  for (int parity = 0; parity < 2; ++parity) {
    const int last = columns - 1;
    const region receivers{{parity, 0}, (last - parity + 1) / 2, rows, 2, 1};
    const region senders{{1 + parity, 0}, (last - parity + 1) / 2, rows, 2, 1};
    p.add_route(receivers, color_in(parity), port::east, port::ramp).bind_input(receivers, 0, color_in(parity));
    p.add_route(senders, color_in(parity), port::ramp, port::west).bind_output(senders, 2, color_in(parity));
  }
  p.add_start_task(rectangle(columns - 1, 0, 1, rows), 8, "first",
                   {copy(f32, fabric_out(2), sram(0), words).on_thread(1)});
  p.add_start_task(rectangle(1, 0, columns - 2, rows), 8, "add",
                   {add(f32, fabric_out(2), fabric_in(0), sram(0), words).on_thread(1)});
  p.add_start_task(rectangle(0, 0, 1, rows), 8, "root", {add(f32, sram(0), fabric_in(0), sram(0), words).on_thread(1)});
  return p;
}

}  // namespace scribeline::bench
