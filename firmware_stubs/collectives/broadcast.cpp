#include "firmware_stubs/collectives/broadcast.h"

namespace scribeline::collectives {

using namespace fabric;

namespace {

// What all broadcasts share: one color, and who sends and receives.
struct flood {
  explicit flood(resources& r) : color(r.color()), input(r.input()), output(r.output()), thread(r.thread()) {}

  void add_sender(const phase& in, const region& where, const vector_spec& v) const {
    in.p.bind_output(where, output, color);
    in.add_operation(where, "broadcast",
                     copy(v.type, fabric_out(output, color), sram(v.address), v.elements).on_thread(thread),
                     in.next.root);
  }
  void add_receivers(const phase& in, const region& where, const vector_spec& v) const {
    if (where.empty()) return;
    in.p.bind_input(where, input, color);
    in.add_operation(where, "receive",
                     copy(v.type, sram(v.address), fabric_in(input, color), v.elements).on_thread(thread),
                     in.next.others);
  }

  color_id color;
  queue_id input;
  queue_id output;
  microthread_id thread;
};

}  // namespace

void add_line_broadcast(const phase& in, const lines& on, const vector_spec& v) {
  const int last = on.length() - 1;
  if (last == 0) return in.add_nothing(on.root());
  const flood f(in.from);
  in.p.add_route(on.root(), f.color, port::ramp, on.away());
  in.p.add_route(on.between(1, last - 1), f.color, on.toward(), {on.away(), port::ramp});
  in.p.add_route(on.at(last), f.color, on.toward(), port::ramp);
  f.add_sender(in, on.root(), v);
  f.add_receivers(in, on.between(1, last), v);
}

void add_rectangle_broadcast(const phase& in, const region& cores, const vector_spec& v, bool from_east,
                             bool from_south) {
  const lines rows = rows_of(cores, from_east);
  const lines spine = rows.of_roots(from_south);
  if (rows.length() == 1) return add_line_broadcast(in, spine, v);
  if (spine.length() == 1) return add_line_broadcast(in, rows, v);
  const flood f(in.from);
  const int last_row = spine.length() - 1;
  const int last = rows.length() - 1;
  in.p.add_route(spine.root(), f.color, port::ramp, {spine.away(), rows.away()});
  in.p.add_route(spine.between(1, last_row - 1), f.color, spine.toward(), {spine.away(), rows.away(), port::ramp});
  in.p.add_route(spine.at(last_row), f.color, spine.toward(), {rows.away(), port::ramp});
  in.p.add_route(rows.between(1, last - 1), f.color, rows.toward(), {rows.away(), port::ramp});
  in.p.add_route(rows.at(last), f.color, rows.toward(), port::ramp);
  f.add_sender(in, spine.root(), v);
  f.add_receivers(in, spine.between(1, last_row), v);
  f.add_receivers(in, rows.between(1, last), v);
}

}  // namespace scribeline::collectives
