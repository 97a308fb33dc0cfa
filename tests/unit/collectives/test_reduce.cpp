#include "tests/unit/collectives/run_collective.h"

using namespace scribeline;
using namespace scribeline::collectives;
using namespace scribeline::fabric;
using namespace scribeline::collectives::test;

namespace {

const std::vector<reduce_plan> all_plans = {
    {reduce_kind::chain},        {reduce_kind::star},         {reduce_kind::tree},         {reduce_kind::generated},
    {reduce_kind::two_phase, 0}, {reduce_kind::two_phase, 2}, {reduce_kind::two_phase, 3}, {reduce_kind::two_phase, 5}};

void check_rows(const fabric_chip& chip, int columns, int rows, const vector_spec& v, const reduce_plan& plan) {
  if (plan.group > columns) return;
  const program p = reduce_rows(chip, columns, rows, v, plan);
  INFO(p.name << " of " << columns << " x " << rows << ", group " << plan.group << ", " << v.elements << " elements of "
              << name(v.type));
  wavelet_engine engine = loaded_engine(p, chip, v);
  finished_run(engine);
  for (int row = 0; row < rows; ++row)
    CHECK(engine.read_vector({0, row}, v.address, v.type, v.elements) == sum_over(rectangle(0, row, columns, 1), v));
}

}  // namespace

TEST_CASE("every reduce pattern adds up every row, for lengths that fit no power of two either") {
  for (const fabric_chip& chip : {wse2_chip(), wse3_chip()})
    for (const reduce_plan& plan : all_plans)
      for (const int columns : {1, 2, 3, 4, 7, 8, 13, 16, 31})
        check_rows(chip, columns, 2, {element_type::fp32, 6, 128}, plan);
}

TEST_CASE("every reduce pattern works in every element type") {
  for (const reduce_plan& plan : all_plans)
    for (const element_type type :
         {element_type::fp16, element_type::bf16, element_type::int32, element_type::int16, element_type::fp32})
      check_rows(wse3_chip(), 9, 1, {type, 12, 0}, plan);
  // An odd number of 16-bit elements ends with a half-filled word.
  check_rows(wse3_chip(), 9, 1, {element_type::fp16, 7, 0}, {reduce_kind::chain});
  check_rows(wse3_chip(), 9, 1, {element_type::fp16, 7, 0}, {reduce_kind::two_phase, 3});
  CHECK_THROWS_WITH(reduce_rows(wse3_chip(), 9, 1, {element_type::fp16, 7, 0}, {reduce_kind::star}),
                    Catch::Contains("do not fill whole words"));
}

TEST_CASE("X-Y and snake reduce whole rectangles") {
  for (const int columns : {1, 2, 3, 5, 8})
    for (const int rows : {1, 2, 3, 4, 7}) {
      INFO(columns << " x " << rows);
      const vector_spec v{element_type::int32, 5, 64};
      for (const program& p :
           {reduce_snake(wse2_chip(), columns, rows, v),
            reduce_xy(wse2_chip(), columns, rows, v, {reduce_kind::chain}, {reduce_kind::chain}),
            reduce_xy(wse2_chip(), columns, rows, v, {reduce_kind::two_phase}, {reduce_kind::tree})}) {
        INFO(p.name);
        wavelet_engine engine = loaded_engine(p, wse2_chip(), v);
        finished_run(engine);
        CHECK(engine.read_vector({0, 0}, 64, v.type, 5) == sum_over(p.all(), v));
      }
    }
}

TEST_CASE("an all-reduce leaves the sum at every core") {
  for (const reduce_plan& plan : all_plans) {
    const vector_spec v{element_type::fp32, 10, 0};
    for (const program& p :
         {all_reduce_rows(wse3_chip(), 11, 3, v, plan), all_reduce_xy(wse3_chip(), 6, 7, v, plan, plan)}) {
      INFO(p.name);
      wavelet_engine engine = loaded_engine(p, wse3_chip(), v);
      finished_run(engine);
      const bool by_rows = p.columns == 11;
      for (int row = 0; row < p.rows; ++row)
        for (int column = 0; column < p.columns; ++column)
          CHECK(engine.read_vector({column, row}, 0, v.type, v.elements) ==
                sum_over(by_rows ? rectangle(0, row, p.columns, 1) : p.all(), v));
    }
  }
}

TEST_CASE("floating point sums follow the documented order") {
  // 2^24 + 1 - 2^24 depends on the order in fp32.
  const std::vector<double> values = {1, 16777216, -16777216, 3};
  const auto result_of = [&](const reduce_plan& plan) {
    run_options options;
    options.values = true;
    wavelet_engine engine(reduce_rows(wse2_chip(), 4, 1, {}, plan), wse2_chip(), options);
    for (int column = 0; column < 4; ++column)
      engine.write_vector({column, 0}, 0, element_type::fp32, {values[static_cast<std::size_t>(column)]});
    finished_run(engine);
    return engine.read_vector({0, 0}, 0, element_type::fp32, 1)[0];
  };
  const float chain = ((3.0f + -16777216.0f) + 16777216.0f) + 1.0f;
  const float star = ((1.0f + 16777216.0f) + -16777216.0f) + 3.0f;
  CHECK(result_of({reduce_kind::chain}) == static_cast<double>(chain));
  CHECK(result_of({reduce_kind::star}) == static_cast<double>(star));
  CHECK(chain != star);
}

TEST_CASE("a generated tree is never predicted slower than the fixed patterns") {
  const fabric_timing t = wse2_timing();
  for (const int cores : {2, 5, 16, 64, 200})
    for (const int words : {1, 4, 32, 256, 4096}) {
      INFO(cores << " cores, " << words << " words");
      const reduce_tree tree = generated_tree(t, cores, words);
      const double predicted = predicted_cycles(t, tree, words);
      CHECK(predicted <= static_cast<double>(chain(t, words, cores).value()));
      CHECK(predicted <= predicted_cycles(t, binary_tree(cores), words));
      CHECK(predicted <= static_cast<double>(best_group(t, words, cores).cycles.value()) + 1);
      CHECK(predicted >= static_cast<double>(reduce_lower_bound(t, words, cores).value()) - 1);
    }
}
