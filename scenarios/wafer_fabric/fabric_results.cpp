#include "scenarios/wafer_fabric/fabric_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "scenarios/harness/csv_writer.h"

namespace scribeline::scenarios {

using fabric::link_loads;
using fabric::port;

void report_cycles(const fabric_settings& settings, base::cycles measured, const fabric::fabric_timing& timing,
                   const fabric::fabric_timing& healthy, harness::run_context& context) {
  const int columns = settings.chip.columns;
  const int rows = settings.chip.rows;
  const auto [bound, binds] = least_cycles(settings.collective, healthy, columns, rows);
  const base::frequency clock(settings.clock_ghz);
  harness::metrics& m = context.metrics;
  m.add("cycles", measured.value())
      .unit("cycles")
      .headline("cycles, first begin to last end")
      .at_least(static_cast<double>(bound.value()), binds);
  m.add("time_us", clock.picoseconds_for(measured) / 1e6)
      .unit("us")
      .headline("time")
      .at_least(clock.picoseconds_for(bound) / 1e6, binds);
  const base::cycles form = closed_form(settings.collective, timing, columns, rows);
  m.add("formula.cycles", form.value()).unit("cycles").headline("closed form");
  if (context.settings.fidelity != harness::fidelity::formula && form.value() > 0)
    m.add("formula.deviation_percent",
          100 * (static_cast<double>(measured.value()) / static_cast<double>(form.value()) - 1))
        .unit("%")
        .headline("slower than the closed form");
  if (const auto paper = paper_bound(settings.collective, healthy, columns))
    m.add("formula.lower_bound_cycles", paper->value()).unit("cycles").headline("lower bound of the cost model");
  m.add("machine.cores", std::int64_t{columns} * rows);
}

void report_program_cycles(const fabric_settings& settings, const fabric::run_result& result, const link_loads* loads,
                           harness::metrics& metrics) {
  const base::frequency clock(settings.clock_ghz);
  base::cycles bound;
  if (loads != nullptr) {
    const link_loads::summary all = loads->summarise();
    if (all.used > 0) bound = base::cycles{loads->words(all.busiest, all.busiest_side)};
  }
  const auto add = [&](const char* name, auto value, const char* unit, const char* label, double least) {
    harness::metric& added = metrics.add(name, value).unit(unit).headline(label);
    if (loads != nullptr) added.at_least(least, "words of the busiest link");
  };
  add("cycles", result.cycles.value(), "cycles", "cycles, start to last action", static_cast<double>(bound.value()));
  add("time_us", clock.picoseconds_for(result.cycles) / 1e6, "us", "time", clock.picoseconds_for(bound) / 1e6);
  metrics.add("machine.cores", std::int64_t{settings.chip.columns} * settings.chip.rows);
}

void report_traffic(const fabric::run_result& result, harness::metrics& metrics) {
  metrics.add("program.cycles", result.cycles.value()).unit("cycles");
  metrics.add("word_hops", result.word_hops).headline("word-hops");
  metrics.add("ramp_words", result.ramp_words).headline("words over ramps");
}

void report_loads(const link_loads& loads, harness::metrics& metrics) {
  const link_loads::summary all = loads.summarise();
  metrics.add("links.used", all.used);
  metrics.add("links.utilisation.mean", all.mean_utilisation_used)
      .unit("words/cycle")
      .headline("utilisation of links in use, mean")
      .at_most(1, "a word per cycle");
  metrics.add("links.utilisation.max", all.max_utilisation)
      .unit("words/cycle")
      .headline("busiest link")
      .at_most(1, "a word per cycle");
  if (all.used > 0)
    metrics.add("links.busiest", fmt::format("{} to the {}", to_string(all.busiest), to_string(all.busiest_side)))
        .headline("which is");
}

void report_defects(const fabric::repaired_mesh& mesh, harness::metrics& metrics) {
  metrics.add("defects.moved_cores", mesh.moved_cores()).headline("cores moved up for dead ones");
  metrics.add("defects.rows_left_out", static_cast<std::int64_t>(mesh.left_out_rows().size()));
  metrics.add("defects.longest_link_hops", mesh.longest_link_hops()).unit("hops").headline("longest link");
  metrics.add("defects.mean_hops_of_longest_line", mesh.mean_hops_of_longest_line())
      .unit("hops")
      .headline("hops per link of the longest line");
}

void write_timestamps(const fabric::run_result& result, harness::result_directory& results) {
  if (result.timestamps.empty()) return;
  harness::csv_writer file(results, "timestamps.csv", {"column", "row", "mark", "cycle"});
  for (const fabric::timestamp_record& record : result.timestamps)
    file.row(record.where.column, record.where.row, record.mark, record.cycle.value());
  file.close();
}

void write_links(const link_loads& loads, harness::result_directory& results) {
  harness::csv_writer file(results, "links.csv", {"column", "row", "direction", "words", "utilisation"});
  for (int row = 0; row < loads.rows(); ++row)
    for (int column = 0; column < loads.columns(); ++column)
      for (const port side : {port::north, port::east, port::south, port::west})
        if (loads.words({column, row}, side) > 0)
          file.row(column, row, to_string(side), loads.words({column, row}, side),
                   loads.utilisation({column, row}, side));
  file.close();
}

}  // namespace scribeline::scenarios
