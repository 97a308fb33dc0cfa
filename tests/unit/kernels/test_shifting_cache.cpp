#include "firmware_stubs/kernels/shifting_cache.h"

#include "tests/unit/kernels/tiny_logits.h"

using namespace scribeline;
using namespace scribeline::kernels;
using namespace scribeline::kernels::test;

namespace {

constexpr int columns = 2;

// A cache on a small mesh, without the attention around it. Entries are numbers that tell token, column and element.
struct placed_cache {
  placed_cache(int rows, int positions, int elements, int value_elements)
      : slice(slice_of(positions, elements, value_elements, sram)),
        key(sram.take(elements)),
        value(sram.take(value_elements)),
        cache(slice, columns, rows, sram),
        mesh(fabric::wse2_chip(), columns, rows) {
    write_tiles(mesh, slice.mask, 1, positions, [](fabric::coordinate, int, int) { return nothing_here; });
  }
  static attention_slice slice_of(int positions, int elements, int value_elements, address_counter& sram) {
    attention_slice s;
    s.positions = positions;
    s.elements = elements;
    s.value_elements = value_elements;
    s.keys = sram.take(elements * positions);
    s.values = sram.take(positions * value_elements);
    s.mask = sram.take(positions);
    return s;
  }
  static double content(double name, int column, int e) { return name + 16 * column + e; }

  base::cycles append(double name) {
    write_tiles(mesh, key, 1, slice.elements,
                [&](fabric::coordinate at, int, int e) { return content(name, at.column, e); });
    write_tiles(mesh, value, 1, slice.value_elements,
                [&](fabric::coordinate at, int, int e) { return content(-name, at.column, e); });
    return mesh.run(cache.append(fabric::wse2_chip(), key, value, held++));
  }
  // The names in a core, by position; checks that keys, values and mask agree.
  std::vector<double> names(int column, int row) const {
    const vector keys = mesh.read({column, row}, slice.keys, fp16, slice.elements * slice.positions);
    const vector values = mesh.read({column, row}, slice.values, fp16, slice.positions * slice.value_elements);
    const vector mask = mesh.read({column, row}, slice.mask, fp16, slice.positions);
    const int first = first_position(row, held, mesh.rows());
    const int count = first_position(row + 1, held, mesh.rows()) - first;
    std::vector<double> found;
    for (int i = 0; i < slice.positions; ++i) {
      const int position = first + i;
      const int place = position % slice.positions;
      REQUIRE(mask[static_cast<std::size_t>(place)] == (i < count ? 0 : rounded(nothing_here)));
      if (i >= count) continue;
      const double name = keys[static_cast<std::size_t>(place)] - content(0, column, 0);
      for (int e = 0; e < slice.elements; ++e)
        REQUIRE(keys[static_cast<std::size_t>(e * slice.positions + place)] == content(name, column, e));
      for (int e = 0; e < slice.value_elements; ++e)
        REQUIRE(values[static_cast<std::size_t>(place * slice.value_elements + e)] == content(-name, column, e));
      found.push_back(name);
    }
    return found;
  }

  address_counter sram{fp16};
  attention_slice slice;
  int key;
  int value;
  shifting_cache cache;
  mesh_machine mesh;
  int held = 0;
};

class tiny_shifting_attention : public tiny_grouped_attention {
 public:
  tiny_shifting_attention(std::uint64_t seed, const grouped_attention_dimensions& d, const residual_stream& stream,
                          address_counter& sram)
      : tiny_grouped_attention(seed, d, stream, sram), cache_(block_.slice, stream.columns, stream.rows, sram) {}

  void run(mesh_machine& mesh, int position) const override {
    const std::vector<mesh_kernel> all = turned(position).kernels(stream_);
    const auto attend = all.begin() + grouped_attention::kernels_before_append;
    mesh.run(std::vector<mesh_kernel>(all.begin(), attend));
    mesh.run(cache_.append(fabric::wse2_chip(), block_.key, block_.value, position));
    mesh.run(std::vector<mesh_kernel>(attend, all.end()));
  }

 private:
  shifting_cache cache_;
};

}  // namespace

TEST_CASE("shares of rows differ by one position at most and cover all of them") {
  for (int rows = 1; rows <= 9; ++rows)
    for (int n = 0; n <= 40; ++n) {
      CHECK(first_position(0, n, rows) == 0);
      CHECK(first_position(rows, n, rows) == n);
      for (int row = 0; row < rows; ++row) {
        const int share = first_position(row + 1, n, rows) - first_position(row, n, rows);
        CHECK((share == n / rows || share == (n + rows - 1) / rows));
        // From one append to the next at most one position crosses a border.
        const int crossing = first_position(row, n + 1, rows) - first_position(row, n, rows);
        CHECK((crossing == 0 || crossing == 1));
      }
    }
}

TEST_CASE("a shifting cache keeps all positions in order and in balance, up to the last place") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    base::random_stream random(seed);
    const int rows = 1 + static_cast<int>(random.below(7));
    const int places = 1 + static_cast<int>(random.below(5));
    const int elements = 1 + static_cast<int>(random.below(5));
    const int value_elements = 1 + static_cast<int>(random.below(5));
    INFO("seed " << seed << ": " << rows << " rows with " << places << " places");
    placed_cache cache(rows, places, elements, value_elements);
    std::vector<double> names;
    for (int n = 0; n < rows * places; ++n) {
      names.push_back(32 * static_cast<double>(1 + random.below(31)));
      cache.append(names.back());
      for (int column = 0; column < columns; ++column) {
        std::vector<double> found;
        for (int row = 0; row < rows; ++row) {
          const std::vector<double> of_row = cache.names(column, row);
          CHECK(static_cast<int>(of_row.size()) >= (n + 1) / rows);
          CHECK(static_cast<int>(of_row.size()) <= (n + rows) / rows);
          found.insert(found.end(), of_row.begin(), of_row.end());
        }
        CHECK(found == names);
      }
    }
    CHECK_THROWS_WITH(cache.append(1), Catch::Contains("of a cache for"));
  }
}

TEST_CASE("rows shift at the same time: an append takes as long on many rows as on three") {
  placed_cache few(3, 8, 8, 8);
  placed_cache many(24, 8, 8, 8);
  base::cycles longest_few;
  base::cycles longest_many;
  for (int n = 0; n < 3 * 4; ++n)
    longest_few = std::max(longest_few, few.append(1));
  for (int n = 0; n < 24 * 4; ++n)
    longest_many = std::max(longest_many, many.append(1));
  CHECK(longest_many == longest_few);
}

TEST_CASE("shifting costs tens of cycles per token, a cache in the last row thousands") {
  constexpr int rows = 16;
  constexpr int elements = 8;
  constexpr int positions_held = 128;
  const auto cycles_of = [](const auto& work) {
    mesh_machine mesh(fabric::wse2_chip(), 1, rows);
    return mesh.run(work).value();
  };
  const auto attention_over = [&](int places) {
    address_counter sram(fp16);
    attention_slice s = placed_cache::slice_of(places, elements, elements, sram);
    s.query = sram.take(elements);
    s.scores = sram.take(places);
    s.maxima = sram.take(1);
    s.sums = sram.take(1);
    s.output = sram.take(elements);
    return cycles_of(attention(s));
  };
  address_counter sram(fp16);
  const attention_slice slice = placed_cache::slice_of(positions_held / rows, elements, elements, sram);
  const int key = sram.take(elements);
  const int value = sram.take(elements);
  const shifting_cache cache(slice, 1, rows, sram);
  const auto naive = cycles_of(append_to_cache(slice, key, value, 0, 1, rows));
  const auto shifting = cycles_of(cache.append(fabric::wse2_chip(), key, value, positions_held - 1));
  const auto balanced = attention_over(positions_held / rows);
  const auto in_last_row = attention_over(positions_held);
  INFO("append " << naive << " or " << shifting << ", attention " << in_last_row << " or " << balanced);
  CHECK(shifting - naive < 50);
  CHECK(in_last_row - balanced > 1000);
}

TEST_CASE("layers with shifting caches give the host's logits") {
  address_counter sram(fp16);
  const residual_stream stream(hidden, side, side, fp16, 1e-5, sram);
  block_stack m;
  for (const std::uint64_t layer : {16u, 17u}) {
    m.add<tiny_shifting_attention>(1000 * layer, grouped_attention_dimensions{2, 2, 16, positions}, stream, sram);
    m.add<tiny_feed_forward>(1000 * layer + 500, 128, stream, sram);
  }
  check_logits(m, stream, sram, 31);
}
