#include "firmware_stubs/collectives/exchange.h"

#include <stdexcept>

namespace scribeline::collectives {

using namespace fabric;

void add_scatter(const phase& in, const lines& on, const vector_spec& chunk, int target_address) {
  require_whole_words(chunk, "chunks");
  if (on.length() == 1) return in.add_nothing(on.root());
  const int last = on.length() - 1;
  const color_id color = in.from.color();
  const queue_id input = in.from.input();
  const queue_id output = in.from.output();
  const microthread_id thread = in.from.thread();
  program& p = in.p;
  p.add_route(on.root(), color, port::ramp, on.away()).bind_output(on.root(), output, color);
  p.add_switched_route(on.between(1, last - 1), color, {{on.toward(), port::ramp}, {on.toward(), on.away()}});
  p.add_route(on.at(last), color, on.toward(), port::ramp).bind_input(on.between(1, last), input, color);
  const affine address = affine(chunk.address + chunk.bytes()).with_iteration(chunk.bytes());
  std::vector<instruction> body = in.begin();
  body.push_back(begin_loop{last});
  body.push_back(copy(chunk.type, fabric_out(output, color), sram(address), chunk.elements)
                     .then_control(control_word::advance_all_routers()));
  body.push_back(end_loop{});
  go_on(body, in.next.root);
  in.add_task(on.root(), "scatter", std::move(body));
  in.add_operation(on.between(1, last), "receive",
                   copy(chunk.type, sram(target_address), fabric_in(input, color), chunk.elements).on_thread(thread),
                   in.next.others);
}

void add_gather(const phase& in, const lines& on, const vector_spec& chunk, int target_address) {
  require_whole_words(chunk, "chunks");
  if (on.length() == 1) return in.add_nothing(on.root());
  const int last = on.length() - 1;
  const color_id color = in.from.color();
  const queue_id input = in.from.input();
  const queue_id output = in.from.output();
  const microthread_id thread = in.from.thread();
  program& p = in.p;
  p.add_route(on.root(), color, on.away(), port::ramp).bind_input(on.root(), input, color);
  p.add_switched_route(on.between(1, last - 1), color, {{port::ramp, on.toward()}, {on.away(), on.toward()}});
  p.add_route(on.at(last), color, port::ramp, on.toward()).bind_output(on.between(1, last), output, color);
  in.add_operation(
      on.root(), "gather",
      copy(chunk.type, sram(target_address + chunk.bytes()), fabric_in(input, color), chunk.elements * last)
          .on_thread(thread),
      in.next.root);
  const vector_op send =
      copy(chunk.type, fabric_out(output, color), sram(chunk.address), chunk.elements).on_thread(thread);
  if (last > 1)
    in.add_operation(on.between(1, last - 1), "send, then let others pass",
                     send.then_control(control_word::advance_own_router()), in.next.others);
  in.add_operation(on.at(last), "send", send, in.next.others);
}

void add_edge_multicast(const phase& in, int row, const region& cores, const vector_spec& v, std::int64_t first_cycle) {
  if (!cores.has_row(row)) throw std::invalid_argument(fmt::format("row {} does not cross {}", row, to_string(cores)));
  const color_id color = in.from.color();
  const queue_id input = in.from.input();
  program& p = in.p;
  const int west = cores.first.column;
  const int east = cores.last().column;
  const int north = cores.first.row;
  const int south = cores.last().row;
  // The entry row feeds the rectangle's west column, which feeds all rows.
  p.add_edge_input({core_at(0, row), port::west, color, v.words(), first_cycle, 1});
  if (west > 0) p.add_route(rectangle(0, row, west, 1), color, port::west, port::east);
  const port_set into_row = east > west ? port_set{port::ramp, port::east} : port_set{port::ramp};
  for (int r = north; r <= south; ++r) {
    port_set out = into_row;
    if (r <= row && r > north) out = out.with(port::north);
    if (r >= row && r < south) out = out.with(port::south);
    p.add_route(core_at(west, r), color, r == row ? port::west : (r < row ? port::south : port::north), out);
  }
  if (east > west + 1)
    p.add_route(rectangle(west + 1, north, east - west - 1, cores.rows), color, port::west, {port::ramp, port::east});
  if (east > west) p.add_route(rectangle(east, north, 1, cores.rows), color, port::west, port::ramp);
  p.bind_input(cores, input, color);
  in.add_operation(cores, "receive",
                   copy(v.type, sram(v.address), fabric_in(input, color), v.elements).on_thread(in.from.thread()),
                   in.next.others);
}

namespace {

// The routers that a message passes, with the side it comes from and leaves through.
struct hop {
  coordinate at;
  port from;
  port to;
};

std::vector<hop> path_of(const point_to_point& m) {
  std::vector<hop> path;
  coordinate at = m.from;
  port from = port::ramp;
  while (at != m.to) {
    port to = at.row < m.to.row ? port::south : port::north;
    if (at.column != m.to.column) to = at.column < m.to.column ? port::east : port::west;
    path.push_back({at, from, to});
    at = neighbour(at, to);
    from = opposite(to);
  }
  path.push_back({at, from, port::ramp});
  return path;
}

// One of the programs while messages are placed into it.
struct round_of_messages {
  round_of_messages(const fabric_chip& chip, int columns, int rows)
      : used(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), 0),
        sends(used.size(), false),
        receives(used.size(), false),
        all_colors((1u << chip.colors) - 1),
        p("messages", columns, rows) {}

  std::size_t index_of(coordinate c) const {
    return static_cast<std::size_t>(c.row) * static_cast<std::size_t>(p.columns) + static_cast<std::size_t>(c.column);
  }

  bool place(const point_to_point& m, const vector_spec& v, int target_address) {
    if (sends[index_of(m.from)] || receives[index_of(m.to)]) return false;
    const std::vector<hop> path = path_of(m);
    std::uint32_t free = all_colors;
    for (const hop& h : path)
      free &= ~used[index_of(h.at)];
    if (free == 0) return false;
    color_id color = 0;
    while ((free >> color & 1u) == 0)
      ++color;
    for (const hop& h : path) {
      used[index_of(h.at)] |= 1u << color;
      p.add_route(core_at(h.at.column, h.at.row), color, h.from, h.to);
    }
    const region from = core_at(m.from.column, m.from.row);
    const region to = core_at(m.to.column, m.to.row);
    sends[index_of(m.from)] = receives[index_of(m.to)] = true;
    p.bind_output(from, 2, color).bind_input(to, 0, color);
    p.add_start_task(from, 24, "send", {copy(v.type, fabric_out(2), sram(v.address), v.elements).on_thread(1)});
    p.add_start_task(to, 25, "receive", {copy(v.type, sram(target_address), fabric_in(0), v.elements).on_thread(2)});
    return true;
  }

  std::vector<std::uint32_t> used;  // colors, by core
  std::vector<bool> sends;
  std::vector<bool> receives;
  std::uint32_t all_colors;
  program p;
};

}  // namespace

std::vector<program> point_to_point_programs(const fabric_chip& chip, int columns, int rows,
                                             const std::vector<point_to_point>& messages, const vector_spec& v,
                                             int target_address) {
  std::vector<round_of_messages> rounds;
  for (const point_to_point& m : messages) {
    bool placed = false;
    for (round_of_messages& round : rounds)
      if ((placed = round.place(m, v, target_address))) break;
    if (placed) continue;
    rounds.emplace_back(chip, columns, rows);
    rounds.back().place(m, v, target_address);
  }
  std::vector<program> programs;
  for (round_of_messages& round : rounds)
    programs.push_back(std::move(round.p));
  return programs;
}

}  // namespace scribeline::collectives
