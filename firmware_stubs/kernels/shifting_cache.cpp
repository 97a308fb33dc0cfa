#include "firmware_stubs/kernels/shifting_cache.h"

#include <fmt/format.h>

#include <stdexcept>

#include "firmware_stubs/collectives/collective.h"

namespace scribeline::kernels {

using namespace fabric;

namespace {

// Where the entry of a position lies: `position` may depend on the row.
struct cache_entry {
  operand key;
  operand value;
  operand mask;
};

// Of position base + per_row * row.
cache_entry entry_of(const attention_slice& s, int base, int per_row) {
  const int bytes = bytes_of(s.type);
  const auto at = [&](int vector, int distance) {
    return affine(vector, 0, per_row * distance).wrapped(base * distance, s.positions * distance);
  };
  return {sram(at(s.keys, bytes), s.positions), sram(at(s.values, s.value_elements * bytes)), sram(at(s.mask, bytes))};
}

void add_store(std::vector<instruction>& body, const attention_slice& s, const cache_entry& entry, int key, int value) {
  body.push_back(copy(s.type, entry.key, sram(key), s.elements));
  body.push_back(copy(s.type, entry.value, sram(value), s.value_elements));
  body.push_back(copy(s.type, entry.mask, constant(0), 1));
}

}  // namespace

shifting_cache::shifting_cache(const attention_slice& slice_, int columns_, int rows_, address_counter& sram)
    : slice(slice_),
      columns(columns_),
      rows(rows_),
      outgoing(sram.take(slice.elements + slice.value_elements)),
      incoming(sram.take(slice.elements + slice.value_elements)) {}

program shifting_cache::append(const fabric_chip& chip, int key, int value, int position) const {
  if (position >= slice.positions * rows)
    throw std::invalid_argument(
        fmt::format("position {} of a cache for {} positions on {} rows", position, slice.positions * rows, rows));
  const element_type type = slice.type;
  const int values = slice.elements * bytes_of(type);  // behind the key
  const int elements = slice.elements + slice.value_elements;
  // This row grows, those below pass their oldest position up.
  const int grows = rows - 1 - position % rows;
  const int share = position / rows + 1;  // of the rows below
  program p("cache append with shift", columns, rows);
  collectives::resources from(chip);
  const task_id task = from.task();
  const queue_id output = from.output();
  const queue_id input = from.input();
  const microthread_id sender = from.thread();

  const std::vector<instruction> begin{timestamp{collectives::begin_mark}};
  std::vector<instruction> send;
  const cache_entry oldest = entry_of(slice, -(grows + 1), share);
  send.push_back(copy(type, sram(outgoing), oldest.key, slice.elements));
  send.push_back(copy(type, sram(outgoing + values), oldest.value, slice.value_elements));
  send.push_back(copy(type, fabric_out(output), sram(outgoing), elements).on_thread(sender));
  send.push_back(copy(type, oldest.mask, constant(nothing_here), 1));
  std::vector<instruction> receive{copy(type, sram(incoming), fabric_in(input), elements)};
  add_store(receive, slice, entry_of(slice, share - (grows + 1), share), incoming, incoming + values);
  std::vector<instruction> store;
  add_store(store, slice, entry_of(slice, position, 0), key, value);
  // An operation of no elements starts when its thread is free: the message has left.
  const std::vector<instruction> sent{copy(type, sram(outgoing), sram(outgoing), 0).on_thread(sender)};
  const std::vector<instruction> end{timestamp{collectives::end_mark}};

  const auto add_rows = [&](int first, int count, std::initializer_list<const std::vector<instruction>*> parts) {
    std::vector<instruction> body;
    for (const auto* part : parts)
      body.insert(body.end(), part->begin(), part->end());
    p.add_start_task(rectangle(0, first, columns, count), task, p.name, std::move(body));
  };
  const int last = rows - 1;
  if (grows == last) {
    add_rows(last, 1, {&begin, &store, &end});
    return p;
  }
  add_rows(grows, 1, {&begin, &receive, &end});
  add_rows(grows + 1, last - grows - 1, {&begin, &send, &receive, &sent, &end});
  add_rows(last, 1, {&begin, &send, &store, &sent, &end});
  // Two colors, so that a core's message and that of the row below are told apart.
  for (int parity = 0; parity < 2; ++parity) {
    const color_id color = from.color();
    const int first = grows + 1 + parity;
    const region senders{{0, first}, columns, first > last ? 0 : (last - first) / 2 + 1, 1, 2};
    region receivers = senders;
    --receivers.first.row;
    p.add_route(senders, color, port::ramp, port::north).bind_output(senders, output, color);
    p.add_route(receivers, color, port::south, port::ramp).bind_input(receivers, input, color);
  }
  return p;
}

}  // namespace scribeline::kernels
