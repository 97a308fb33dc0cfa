#include "firmware_stubs/collectives/broadcast_in_turns.h"
#include "firmware_stubs/collectives/wrapped_ring.h"
#include "tests/unit/collectives/run_collective.h"

using namespace scribeline;
using namespace scribeline::collectives;
using namespace scribeline::fabric;
using namespace scribeline::collectives::test;

namespace {

constexpr element_type type = element_type::fp32;

coordinate on_line(axis along, int line, int position) {
  return along == axis::row ? coordinate{position, line} : coordinate{line, position};
}

// Two lines.
program lines_of(const char* name, axis along, int length) {
  return along == axis::row ? program(name, length, 2) : program(name, 2, length);
}

std::vector<double> vector_of(coordinate c, int elements) {
  std::vector<double> v;
  for (int i = 0; i < elements; ++i)
    v.push_back(element(c, i) + 10 * c.column + 100 * c.row);
  return v;
}

void load(wavelet_engine& engine, axis along, int length, int elements) {
  for (int line = 0; line < 2; ++line)
    for (int position = 0; position < length; ++position) {
      const coordinate at = on_line(along, line, position);
      engine.write_vector(at, 0, type, vector_of(at, elements));
    }
}

wavelet_engine engine_for(const program& p, const fabric_chip& chip) {
  run_options options;
  options.values = true;
  return {p, chip, options};
}

}  // namespace

TEST_CASE("cores of a line broadcast in turns, and all receive all vectors in the order of positions") {
  for (const fabric_chip& chip : {wse2_chip(), wse3_chip()})
    for (const axis along : {axis::row, axis::column})
      for (const int length : {2, 3, 4, 7})
        for (const bool root_last : {false, true}) {
          INFO(chip.name << ", lines of " << length << (root_last ? ", from the end" : ""));
          constexpr int elements = 5;
          constexpr int bytes = 4 * elements;
          program p = lines_of("turns", along, length);
          resources from(chip);
          const task_id task = from.task();
          const lines on{p.all(), along, root_last};
          const broadcast_in_turns turns(p, from, on);
          // All hand over their vectors at once; what arrives lies behind the own one in order.
          std::vector<instruction> body{turns.send(type, sram(0), elements), begin_loop{length - 1},
                                        copy(type, sram(affine(bytes).with_iteration(bytes)), turns.receive(), elements)
                                            .on_thread(turns.receiver()),
                                        end_loop{}};
          p.add_start_task(p.all(), task, "turns", body);
          wavelet_engine engine = engine_for(p, chip);
          load(engine, along, length, elements);
          finished_run(engine);
          const auto place = [&](int position) { return root_last ? length - 1 - position : position; };
          for (int line = 0; line < 2; ++line)
            for (int to = 0; to < length; ++to)
              for (int source = 0, arrived = 1; source < length; ++source) {
                if (source == to) continue;
                CHECK(engine.read_vector(on_line(along, line, place(to)), arrived++ * bytes, type, elements) ==
                      vector_of(on_line(along, line, place(source)), elements));
              }
        }
}

TEST_CASE("a shift on a wrapped ring moves every vector to the next position, the last one to the first") {
  for (const axis along : {axis::row, axis::column})
    for (const int length : {2, 3, 4, 9}) {
      INFO("lines of " << length);
      constexpr int elements = 6;
      program p = lines_of("shift", along, length);
      resources from(wse2_chip());
      const task_id task = from.task();
      const wrapped_ring ring(p, from, {p.all(), along});
      const microthread_id sender = from.thread();
      for (int line = 0; line < 2; ++line)
        for (int position = 0; position < length; ++position) {
          const coordinate at = on_line(along, line, position);
          p.add_start_task(core_at(at.column, at.row), task, "shift",
                           {copy(type, sram(4 * elements), ring.receive(position), elements).on_thread(ring.thread()),
                            copy(type, ring.send(position), sram(0), elements).on_thread(sender)});
        }
      wavelet_engine engine = engine_for(p, wse2_chip());
      load(engine, along, length, elements);
      const run_result result = finished_run(engine);
      // Every edge is one hop but the way back.
      CHECK(result.word_hops == 2 * 2 * (length - 1) * elements);
      for (int line = 0; line < 2; ++line)
        for (int position = 0; position < length; ++position)
          CHECK(engine.read_vector(on_line(along, line, position), 4 * elements, type, elements) ==
                vector_of(on_line(along, line, (position + length - 1) % length), elements));
    }
}
