#include <numeric>

#include "tests/unit/collectives/run_collective.h"

using namespace scribeline;
using namespace scribeline::collectives;
using namespace scribeline::fabric;
using namespace scribeline::collectives::test;

namespace {

// A value that tells where it came from.
double tagged(coordinate from, int chunk, int i) {
  return from.row * 4096 + from.column * 256 + chunk * 16 + i;
}

wavelet_engine engine_with_values(const program& p, const fabric_chip& chip) {
  run_options options;
  options.values = true;
  return {p, chip, options};
}

void load_chunks(wavelet_engine& engine, coordinate at, int chunks, const vector_spec& chunk) {
  for (int n = 0; n < chunks; ++n) {
    std::vector<double> values;
    for (int i = 0; i < chunk.elements; ++i)
      values.push_back(tagged(at, n, i));
    engine.write_vector(at, chunk.address + n * chunk.bytes(), chunk.type, values);
  }
}

void check_chunk(const wavelet_engine& engine, coordinate at, int address, const vector_spec& chunk, coordinate from,
                 int number) {
  const std::vector<double> values = engine.read_vector(at, address, chunk.type, chunk.elements);
  for (int i = 0; i < chunk.elements; ++i) {
    INFO("at " << to_string(at) << " element " << i << " of chunk " << number << " from " << to_string(from));
    CHECK(values[static_cast<std::size_t>(i)] == tagged(from, number, i));
  }
}

coordinate on_line(axis along, int line, int position) {
  return along == axis::row ? coordinate{position, line} : coordinate{line, position};
}

}  // namespace

TEST_CASE("ring and two-tree all-reduces leave the sum at every core of every line") {
  for (const axis along : {axis::row, axis::column})
    for (const int length : {1, 2, 3, 4, 5, 6, 9, 12}) {
      const int columns = along == axis::row ? length : 2;
      const int rows = along == axis::row ? 2 : length;
      const vector_spec v{element_type::fp32, 3 * length, 0};
      std::vector<program> programs{all_reduce_ring(wse3_chip(), columns, rows, along, v)};
      for (int groups = 1; groups <= length; ++groups)
        for (const relay_kind how : {relay_kind::streaming, relay_kind::store_and_forward})
          if (length % groups == 0)
            programs.push_back(all_reduce_two_tree(wse3_chip(), columns, rows, along, v, groups, {}, how));
      for (const program& p : programs) {
        INFO(p.name << " on lines of " << length);
        wavelet_engine engine = loaded_engine(p, wse3_chip(), v);
        finished_run(engine);
        for (int line = 0; line < 2; ++line) {
          const region whole = along == axis::row ? rectangle(0, line, columns, 1) : rectangle(line, 0, 1, rows);
          for (int position = 0; position < length; ++position)
            CHECK(engine.read_vector(on_line(along, line, position), 0, v.type, v.elements) == sum_over(whole, v));
        }
      }
    }
}

TEST_CASE("a core that stores before it forwards delays a chain by the vector and a set-up") {
  const fabric_chip chip = wse2_chip();
  const auto cycles = [&](int length, int words, relay_kind how) {
    const vector_spec v{element_type::fp32, words, 0};
    wavelet_engine engine(all_reduce_two_tree(chip, length, 1, axis::row, v, 1, {}, how), chip);
    return finished_run(engine).cycles.value();
  };
  for (const int words : {1, 2, 7, 40})
    for (const int side : {2, 3, 10}) {
      INFO(words << " words, chains of " << side << " cores");
      const auto extra = cycles(2 * side + 1, words, relay_kind::store_and_forward) -
                         cycles(2 * side + 1, words, relay_kind::streaming);
      // Of `side` senders on either side of the centre, the outermost has nothing to wait for.
      CHECK(extra == (side - 1) * (words + chip.core.vector_setup_cycles));
    }
}

TEST_CASE("scatter and gather move the right chunks") {
  const vector_spec chunk{element_type::int32, 3, 512};
  for (const axis along : {axis::row, axis::column})
    for (const int length : {2, 3, 12}) {
      const int columns = along == axis::row ? length : 2;
      const int rows = along == axis::row ? 2 : length;
      INFO("lines of " << length);
      wavelet_engine out = engine_with_values(scatter(wse2_chip(), columns, rows, along, chunk, 64), wse2_chip());
      for (int line = 0; line < 2; ++line)
        load_chunks(out, on_line(along, line, 0), length, chunk);
      finished_run(out);
      wavelet_engine back = engine_with_values(gather(wse2_chip(), columns, rows, along, chunk, 4096), wse2_chip());
      for (int line = 0; line < 2; ++line)
        for (int position = 0; position < length; ++position)
          load_chunks(back, on_line(along, line, position), 1, chunk);
      finished_run(back);
      for (int line = 0; line < 2; ++line)
        for (int position = 1; position < length; ++position) {
          const coordinate root = on_line(along, line, 0);
          check_chunk(out, on_line(along, line, position), 64, chunk, root, position);
          check_chunk(back, root, 4096 + position * chunk.bytes(), chunk, on_line(along, line, position), 0);
        }
    }
}

TEST_CASE("an all-to-all brings every chunk to its core") {
  for (const axis along : {axis::row, axis::column})
    for (const int length : {2, 3, 4, 7, 10}) {
      const int columns = along == axis::row ? length : 2;
      const int rows = along == axis::row ? 2 : length;
      all_to_all_spec spec;
      spec.chunk = {element_type::int32, 2, 0};
      spec.staging_address = 1024;
      spec.result_address = 4096;
      INFO("lines of " << length);
      wavelet_engine engine = engine_with_values(all_to_all(wse3_chip(), columns, rows, along, spec), wse3_chip());
      for (int line = 0; line < 2; ++line)
        for (int position = 0; position < length; ++position)
          load_chunks(engine, on_line(along, line, position), length, spec.chunk);
      finished_run(engine);
      for (int line = 0; line < 2; ++line)
        for (int rank = 0; rank < length; ++rank)
          for (int distance = 1; distance < length; ++distance) {
            const int source = (rank + length - distance) % length;
            check_chunk(engine, on_line(along, line, ring_position(rank, length)),
                        spec.result_address + distance * spec.chunk.bytes(), spec.chunk,
                        on_line(along, line, ring_position(source, length)), distance);
          }
    }
}

TEST_CASE("words from the edge reach every core of a rectangle") {
  const vector_spec v{element_type::int32, 20, 0};
  for (const region cores :
       {rectangle(0, 0, 5, 4), rectangle(2, 1, 3, 3), rectangle(4, 2, 1, 1), rectangle(1, 2, 2, 1)}) {
    INFO(to_string(cores));
    wavelet_engine engine = engine_with_values(edge_multicast(wse3_chip(), 5, 4, 2, cores, v, 100), wse3_chip());
    std::vector<std::uint32_t> words(20);
    std::iota(words.begin(), words.end(), 1000u);
    engine.set_edge_words({0, 2}, port::west, 0, words);
    const run_result result = finished_run(engine);
    CHECK(result.cycles.value() >= 100);
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 5; ++column)
        CHECK(engine.read_vector({column, row}, 0, v.type, 20)[19] == (cores.contains({column, row}) ? 1019 : 0));
  }
}

TEST_CASE("a random permutation is delivered and respects the bisection") {
  constexpr int side = 16;
  constexpr int words = 8;
  const vector_spec v{element_type::int32, words, 0};
  std::vector<int> targets(side * side);
  std::iota(targets.begin(), targets.end(), 0);
  std::uint64_t state = 88172645463325252u;  // xorshift
  for (std::size_t i = targets.size(); i-- > 1;) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    std::swap(targets[i], targets[state % (i + 1)]);
  }
  std::vector<point_to_point> messages;
  for (int i = 0; i < side * side; ++i)
    messages.push_back({{i % side, i / side},
                        {targets[static_cast<std::size_t>(i)] % side, targets[static_cast<std::size_t>(i)] / side}});
  std::int64_t crossing = 0;
  for (const point_to_point& m : messages)
    crossing += m.from.column < side / 2 && m.to.column >= side / 2 ? words : 0;
  std::int64_t cycles = 0;
  std::size_t delivered = 0;
  for (const program& p : point_to_point_programs(wse3_chip(), side, side, messages, v, 256)) {
    wavelet_engine engine = engine_with_values(p, wse3_chip());
    for (int i = 0; i < side * side; ++i)
      load_chunks(engine, {i % side, i / side}, 1, v);
    cycles += finished_run(engine).cycles.value();
    for (const point_to_point& m : messages)
      if (engine.read_vector(m.to, 256, v.type, words)[1] != 0) {
        check_chunk(engine, m.to, 256, v, m.from, 0);
        ++delivered;
      }
  }
  CHECK(delivered == messages.size());
  CHECK(cycles * side >= crossing);  // one word per row and cycle over the middle
}
