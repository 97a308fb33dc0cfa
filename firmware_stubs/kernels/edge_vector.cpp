#include "firmware_stubs/kernels/edge_vector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "firmware_stubs/collectives/collective.h"

namespace scribeline::kernels {

using namespace fabric;

namespace {

constexpr std::size_t word_bytes = sizeof(std::uint32_t);

int words_of(const edge_vector& v) {
  return base::ceil_div(v.elements, elements_per_word(v.type));
}

// Bytes of slice i that travel: none for slices that are all padding.
std::size_t bytes_of_slice(const edge_vector& v, std::size_t i) {
  const std::size_t whole = static_cast<std::size_t>(v.elements * bytes_of(v.type));
  return std::min(whole, v.bytes() - std::min(v.bytes(), i * whole));
}

std::vector<instruction> marked(const vector_op& transfer) {
  return {timestamp{collectives::begin_mark}, transfer, timestamp{collectives::end_mark}};
}

}  // namespace

edge_vector activation_of(const residual_stream& stream) {
  return {stream.total, stream.elements, stream.activation, edge_vector::held_by::rows, stream.type};
}

std::vector<edge_gate> entry_gates(const edge_vector& v, int, int rows) {
  if (v.slices != edge_vector::held_by::rows)
    throw std::invalid_argument("a vector that columns hold cannot enter: words come in along rows");
  std::vector<edge_gate> gates;
  for (int row = 0; row < rows; ++row)
    gates.push_back({{0, row}, 0});
  return gates;
}

std::vector<edge_gate> exit_gates(const edge_vector& v, int columns, int rows) {
  const int slices = v.slices == edge_vector::held_by::rows ? rows : columns;
  std::vector<edge_gate> gates;
  for (int i = 0; i < slices; ++i)
    gates.push_back({{columns - 1, i % rows}, i / rows});
  return gates;
}

program entry_program(const edge_vector& v, const fabric_chip& chip, int columns, int rows) {
  program p("activation enters", columns, rows);
  collectives::resources from(chip);
  const queue_id input = from.input();
  const color_id color = from.color();
  const auto rows_that_enter = static_cast<int>(entry_gates(v, columns, rows).size());
  p.add_edge_input({rectangle(0, 0, 1, rows_that_enter), port::west, color, words_of(v)});
  p.add_route(rectangle(0, 0, columns - 1, rows), color, port::west, {port::east, port::ramp});
  p.add_route(rectangle(columns - 1, 0, 1, rows), color, port::west, port::ramp);
  p.bind_input(p.all(), input, color);
  return p.add_start_task(p.all(), from.task(), "receive",
                          marked(copy(v.type, sram(v.address), fabric_in(input, color), v.elements)));
}

program exit_program(const edge_vector& v, const fabric_chip& chip, int columns, int rows) {
  program p("vector leaves", columns, rows);
  collectives::resources from(chip);
  const queue_id output = from.output();
  const task_id send = from.task();
  const std::vector<edge_gate> gates = exit_gates(v, columns, rows);
  for (int i = 0; i < static_cast<int>(gates.size()); ++i) {
    const edge_gate& gate = gates[static_cast<std::size_t>(i)];
    const int row = gate.core.row;
    if (i == 0 || gate.color != gates[static_cast<std::size_t>(i - 1)].color) from.color();  // throws when none is left
    const int column = v.slices == edge_vector::held_by::rows ? columns - 1 : i;
    const region sender = core_at(column, row);
    p.add_route(sender, gate.color, port::ramp, port::east);
    p.add_route(rectangle(column + 1, row, columns - column - 1, 1), gate.color, port::west, port::east);
    p.add_edge_output({core_at(columns - 1, row), port::east, gate.color});
    p.bind_output(sender, output, gate.color);
    p.add_start_task(sender, send, "send",
                     marked(copy(v.type, fabric_out(output, gate.color), sram(v.address), v.elements)));
  }
  return p;
}

void set_entering(wavelet_engine& engine, const edge_vector& v, int columns, int rows,
                  const std::vector<std::uint8_t>& bytes) {
  if (bytes.size() != v.bytes())
    throw std::invalid_argument(fmt::format("{} B for a vector of {} B", bytes.size(), v.bytes()));
  const std::vector<edge_gate> gates = entry_gates(v, columns, rows);
  const auto whole = static_cast<std::size_t>(v.elements * bytes_of(v.type));
  for (std::size_t i = 0; i < gates.size(); ++i) {
    std::vector<std::uint32_t> words(static_cast<std::size_t>(words_of(v)), 0);
    const std::size_t count = bytes_of_slice(v, i);
    if (count > 0) std::memcpy(words.data(), bytes.data() + i * whole, count);
    engine.set_edge_words(gates[i].core, port::west, gates[i].color, std::move(words));
  }
}

std::vector<std::uint8_t> bytes_that_left(const wavelet_engine& engine, const edge_vector& v, int columns, int rows) {
  std::vector<std::uint8_t> bytes;
  const std::vector<edge_gate> gates = exit_gates(v, columns, rows);
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const auto record = engine.edge_output_record(gates[i].core, port::east, gates[i].color);
    const std::size_t count = bytes_of_slice(v, i);
    if (record.values.size() * word_bytes < count)
      throw std::logic_error(fmt::format("slice {}: {} words left, {} B were due", i, record.values.size(), count));
    const std::size_t before = bytes.size();
    bytes.resize(before + count);
    if (count > 0) std::memcpy(bytes.data() + before, record.values.data(), count);
  }
  return bytes;
}

}  // namespace scribeline::kernels
