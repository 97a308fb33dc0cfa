// Kernels that cross a block in two dimensions take what their lines take one after the other: here they run whole.
#include <catch2/catch.hpp>

#include "firmware_stubs/collectives/broadcast.h"
#include "firmware_stubs/collectives/collective.h"
#include "firmware_stubs/collectives/two_sided_chain.h"
#include "firmware_stubs/kernels/simulated_kernels.h"
#include "rtl_tlm/fabric/burst/burst_engine.h"
#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"

using namespace scribeline;
using namespace scribeline::kernels;
using collectives::axis;
using collectives::phase;
using fabric::engine_kind;
using fabric::program;
using fabric::timestamp;

namespace {

double run(const program& p, const fabric::fabric_chip& chip, engine_kind engine) {
  const auto result =
      engine == engine_kind::burst ? fabric::burst_engine(p, chip).run() : fabric::wavelet_engine(p, chip).run();
  INFO(result.explanation);
  REQUIRE(result.outcome == fabric::run_outcome::finished);
  return static_cast<double>(collectives::cycles_between_marks(result).value() - chip.core.timestamp_cycles);
}

collectives::vector_spec words(int n) {
  return {fabric::element_type::fp32, n, 0, fabric::opcode::add};
}

// Every row from its west core, then every column from its north core.
program dispatch(const fabric::fabric_chip& chip, int columns, int rows, int row_words, int column_words) {
  program p("dispatch", columns, rows);
  collectives::resources from(chip);
  const auto first = from.task();
  const auto second = from.task();
  const auto end = from.task();
  phase along_rows{p, from, first, {second, second}};
  along_rows.prologue = {timestamp{collectives::begin_mark}};
  along_rows.starts = true;
  collectives::add_line_broadcast(along_rows, {p.all(), axis::row}, words(row_words));
  collectives::add_line_broadcast({p, from, second, {end, end}}, {p.all(), axis::column}, words(column_words));
  return p.add_local_task(p.all(), end, "end", {timestamp{collectives::end_mark}});
}

// Slice j of a group's result lies in its column j, row j. Summed over the groups of a column, then of a row, then told
// to the east of that row.
struct combine_program {
  combine_program(const fabric::fabric_chip& chip, int group_columns_, int group_rows_, int side_, int words_of_slice)
      : group_columns(group_columns_),
        group_rows(group_rows_),
        side(side_),
        v(words(words_of_slice)),
        p("combine", group_columns_ * side_, group_rows_ * side_),
        from(chip) {
    for (int slice = 0; slice < side; ++slice)
      add_slice(slice);
  }

  collectives::two_sided_chain chains(const collectives::lines& on, int groups, int slice) const {
    const int middle = groups / 2 * side + slice;
    return {{on, middle, -side, groups / 2 + 1}, {on, middle, side, groups - groups / 2}};
  }

  void add_slice(int slice) {
    collectives::resources of_slice = from;  // slices share no links of one color and no cores
    const auto first = of_slice.task();
    const auto second = of_slice.task();
    const auto third = of_slice.task();
    const auto end = of_slice.task();
    const int row = group_rows / 2 * side + slice;
    const collectives::lines of_row{fabric::rectangle(0, row, p.columns, 1), axis::row};
    const auto rows = chains(of_row, group_columns, slice);
    for (int g = 0; g < group_columns; ++g) {
      collectives::resources of_column = of_slice;
      const collectives::lines on{fabric::rectangle(g * side + slice, 0, 1, p.rows), axis::column};
      const auto columns = chains(on, group_rows, slice);
      phase sum{p, of_column, first, {}};
      sum.prologue = {timestamp{collectives::begin_mark}};
      sum.starts = true;
      columns.add(sum, v, second, std::nullopt);
    }
    for (int i = 0; i < 4; ++i)
      of_slice.color();  // those of the columns
    const std::size_t first_task = p.tasks.size();
    rows.add({p, of_slice, second, {}}, v, third, std::nullopt);
    block(first_task, chains({p.all(), axis::column}, group_rows, slice).has_both());
    const std::size_t last_task = p.tasks.size();
    const int middle = rows.before.start;
    const collectives::lines east{fabric::rectangle(middle, row, p.columns - middle, 1), axis::row};
    collectives::resources for_east = of_slice;
    // Receivers listen from the start.
    phase tell{p, for_east, third, {end, end}};
    collectives::add_line_broadcast(tell, east, v);
    for (std::size_t i = last_task; i < p.tasks.size(); ++i) {
      const bool is_root = p.tasks[i].where.contains({middle, row});
      p.tasks[i].blocked_at_start = is_root && rows.has_both();
      p.tasks[i].active_at_start = !is_root;
    }
    p.add_local_task(east.cores, end, "end", {timestamp{collectives::end_mark}});
  }

  void block(std::size_t first, bool blocked) {
    for (std::size_t i = first; i < p.tasks.size(); ++i)
      p.tasks[i].blocked_at_start = blocked;
  }

  int group_columns, group_rows, side;
  collectives::vector_spec v;
  program p;
  collectives::resources from;
};

}  // namespace

TEST_CASE("a block learns what its rows hold in the time of a row and a column") {
  const wafer::wafer_config config = wafer::find_wafer_preset("wse3")->config;
  for (const engine_kind engine : {engine_kind::burst, engine_kind::wavelet}) {
    simulated_kernels kernels(config, engine);
    for (const auto& [columns, rows, first, second] :
         {std::tuple{9, 14, 5, 8}, std::tuple{16, 3, 1, 40}, std::tuple{2, 12, 30, 1}}) {
      INFO(columns << " x " << rows);
      const double lines = kernels.collective_cycles(wafer::opcode::transfer, first, columns - 1) +
                           kernels.collective_cycles(wafer::opcode::transfer, second, rows - 1);
      CHECK(run(dispatch(config.chip, columns, rows, first, second), config.chip, engine) == lines);
    }
  }
}

TEST_CASE("all slices of a result are summed over the groups of a block at once, in the time of one") {
  const wafer::wafer_config config = wafer::find_wafer_preset("wse3")->config;
  for (const engine_kind engine : {engine_kind::burst, engine_kind::wavelet}) {
    simulated_kernels kernels(config, engine);
    for (const auto& [group_columns, group_rows, side, n] :
         {std::tuple{3, 4, 5, 6}, std::tuple{4, 3, 4, 1}, std::tuple{2, 2, 7, 20}}) {
      INFO(group_columns << " x " << group_rows << " groups of " << side << ", " << n << " words, engine "
                         << static_cast<int>(engine));
      const combine_program block(config.chip, group_columns, group_rows, side, n);
      // The last slice starts nearest to the east, the first one farthest from it: it ends last.
      const int to_east = group_columns * side - 1 - group_columns / 2 * side;
      const double lines = kernels.collective_cycles(wafer::opcode::reduce, n, group_rows, side) +
                           kernels.collective_cycles(wafer::opcode::reduce, n, group_columns, side) +
                           kernels.collective_cycles(wafer::opcode::transfer, n, to_east);
      CHECK(run(block.p, config.chip, engine) == Approx(lines).margin(0.1).epsilon(0));
    }
  }
}
