#include "scenarios/wafer_fabric/wafer_fabric_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "rtl_tlm/base/error.h"
#include "rtl_tlm/fabric/fabric.h"
#include "rtl_tlm/fabric/program/dump.h"
#include "rtl_tlm/fabric/program/parse.h"
#include "rtl_tlm/fabric/program/validate.h"
#include "scenarios/harness/input_file.h"
#include "scenarios/wafer_fabric/fabric_results.h"
#include "scenarios/wafer_fabric/fabric_values.h"
#include "scenarios/wafer_fabric/fabric_waves.h"
#include "scenarios/wafer_fabric/heat_map.h"

namespace scribeline::scenarios {
namespace {

// The wall clock is no result: it goes to stderr.
class stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(clock::now() - begin_).count(); }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point begin_ = clock::now();
};

fabric::region traced_cores(const fabric_settings& s) {
  const trace_settings& t = s.trace;
  return fabric::rectangle(t.column, t.row, std::min(t.columns, s.chip.columns - t.column),
                           std::min(t.rows, s.chip.rows - t.row));
}

class fabric_run {
 public:
  fabric_run(const fabric_settings& settings, harness::run_context& context)
      : settings_(settings), context_(context), seed_(static_cast<std::uint64_t>(context.settings.seed)) {}

  void run() {
    const fabric::program program = runs_file() ? program_of_file() : program_of_collective();
    if (settings_.write_program) context_.results.write("program.txt", to_text(program));
    if (settings_.defects.any())
      mesh_.emplace(defects_of(settings_, seed_), settings_.chip.columns, settings_.chip.rows);
    if (!is_wavelet()) refuse_what_needs_words();
    if (context_.settings.fidelity == harness::fidelity::formula)
      report_closed_form();
    else
      simulate(program);
    if (mesh_) report_defects(*mesh_, context_.metrics);
  }

 private:
  bool is_wavelet() const { return context_.settings.fidelity == harness::fidelity::wavelet; }

  // The wavelet engine does so anyway.
  bool counts_links() const { return is_wavelet() || settings_.links == link_results::on; }

  bool runs_file() const { return !settings_.program_file.empty(); }

  fabric::program program_of_collective() const {
    return program_of(settings_.collective, settings_.chip, settings_.chip.columns, settings_.chip.rows);
  }

  // The run's rectangle is the program's.
  fabric::program program_of_file() {
    if (settings_.values)
      throw base::bad_input("collective.values: the host knows no result of program.file to compare with");
    fabric::program p = fabric::parse_program(harness::read_file(settings_.program_file), settings_.program_file);
    settings_.chip.columns = p.columns;
    settings_.chip.rows = p.rows;
    if (settings_.trace.column >= p.columns || settings_.trace.row >= p.rows)
      throw base::bad_input(fmt::format("trace.core_column, trace.core_row: {} x {} cores of {} have no core at {}",
                                        p.columns, p.rows, settings_.program_file,
                                        to_string(fabric::coordinate{settings_.trace.column, settings_.trace.row})));
    try {
      fabric::require_valid(p, settings_.chip);
    } catch (const fabric::program_error& invalid) {
      throw base::bad_input(fmt::format("{}: {}", settings_.program_file, invalid.what()));
    }
    return p;
  }

  fabric::fabric_timing healthy_timing() const { return fabric::ideal_timing(settings_.chip); }
  fabric::fabric_timing timing_of_mesh() const {
    fabric::fabric_timing timing = healthy_timing();
    if (mesh_) timing.hop_cycles *= mesh_->mean_hops_of_longest_line();
    return timing;
  }

  void report_closed_form() {
    if (runs_file())
      throw base::bad_input("program.file: a program has no closed form; use --fidelity wavelet or burst");
    const base::cycles form =
        closed_form(settings_.collective, timing_of_mesh(), settings_.chip.columns, settings_.chip.rows);
    report_cycles(settings_, form, timing_of_mesh(), healthy_timing(), context_);
  }

  void refuse_what_needs_words() const {
    const auto needs_wavelet = [](const char* key) {
      return base::bad_input(fmt::format("{} needs --fidelity wavelet, which moves single words", key));
    };
    if (settings_.values) throw needs_wavelet("collective.values");
    if (settings_.bank_conflicts) throw needs_wavelet("machine.bank_conflicts");
    if (context_.settings.waves != harness::waves::off) throw needs_wavelet("trace.waves");
  }

  void simulate(const fabric::program& program) {
    fabric::fabric wafer("fabric", {settings_.chip, base::frequency(settings_.clock_ghz),
                                    is_wavelet() ? fabric::engine_kind::wavelet : fabric::engine_kind::burst});
    const std::unique_ptr<fabric_waves> waves = connect_waves(wafer);
    const std::optional<value_check> values = load(wafer, program);
    wafer.give_up_when([this](base::cycles) { return context_.interrupted(); });
    const stopwatch watch;
    wafer.start();
    const double seconds = watch.seconds();
    sc_core::sc_start();
    if (waves) waves->close();  // also of a program that stands still
    if (context_.interrupted()) return;
    const fabric::run_result& result = wafer.result();
    fabric::require_finished(program.name, result);
    context_.notes << fmt::format("{} word-hops in {:.3g} s: {:.3g} ns each, {} B per core\n", result.word_hops,
                                  seconds,
                                  1e9 * seconds / static_cast<double>(std::max<std::int64_t>(1, result.word_hops)),
                                  static_cast<std::int64_t>(wafer.memory_bytes()) / program.cores());
    std::optional<fabric::link_loads> loads;
    if (counts_links()) loads = wafer.loads();
    if (runs_file()) {
      report_program_cycles(settings_, result, loads ? &*loads : nullptr, context_.metrics);
      write_timestamps(result, context_.results);
    } else {
      report_cycles(settings_, collectives::cycles_between_marks(result), timing_of_mesh(), healthy_timing(), context_);
    }
    report_traffic(result, context_.metrics);
    if (loads)
      report_links(program, result, *loads);
    else if (settings_.links == link_results::automatic)
      context_.notes << "the words of links were not counted: --set results.links=on does\n";
    if (values)
      context_.metrics.add("values.compared", values->check(wafer.engine())).headline("elements as the host's");
  }

  std::optional<value_check> load(fabric::fabric& wafer, const fabric::program& program) const {
    fabric::run_options options;
    options.values = settings_.values;
    options.bank_conflicts = settings_.bank_conflicts;
    options.merge_wires = context_.settings.waves == harness::waves::off;
    options.limit = base::cycles{settings_.limit_cycles};
    options.link_loads = counts_links();
    if (mesh_) options.lengths = mesh_->lengths();
    wafer.load(program, options);
    if (!settings_.values) return std::nullopt;
    value_check values(settings_.collective, program.columns, program.rows, seed_);
    values.write(wafer.engine(), program);
    return values;
  }

  std::unique_ptr<fabric_waves> connect_waves(fabric::fabric& wafer) const {
    if (context_.settings.waves == harness::waves::off) return nullptr;
    auto waves =
        std::make_unique<fabric_waves>(context_.results, traced_cores(settings_), base::frequency(settings_.clock_ghz),
                                       harness::wave_options(context_.settings));
    wafer.observe(waves.get());
    return waves;
  }

  void report_links(const fabric::program& program, const fabric::run_result& result, const fabric::link_loads& loads) {
    report_loads(loads, context_.metrics);
    if (settings_.links == link_results::off) return;
    write_links(loads, context_.results);
    const std::string size = runs_file() ? "" : fmt::format("{} words a core, ", settings_.collective.words);
    const std::string subtitle =
        fmt::format("{} x {} cores of {}, {}{} cycles, {} word-hops", program.columns, program.rows, settings_.preset,
                    size, result.cycles.value(), result.word_hops);
    context_.results.write("heatmap.svg", heat_map_svg(loads, {program.name, subtitle}));
  }

  fabric_settings settings_;
  harness::run_context& context_;
  std::uint64_t seed_;
  std::optional<fabric::repaired_mesh> mesh_;
};

}  // namespace

std::string wafer_fabric_scenario::summary() const {
  return "Runs one collective, or a program of your own, on a rectangle of wafer cores, word by word or stream by "
         "stream, and tells cycles beside "
         "closed form and bound, and how busy every link was.";
}

void wafer_fabric_scenario::run(harness::run_context& context) {
  fabric_run(settings_, context).run();
}

}  // namespace scribeline::scenarios
