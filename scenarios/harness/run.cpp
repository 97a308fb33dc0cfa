#include "scenarios/harness/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "rtl_tlm/base/error.h"
#include "scenarios/harness/budgets.h"
#include "scenarios/harness/command_line.h"
#include "scenarios/harness/effective_config.h"
#include "scenarios/harness/input_file.h"
#include "scenarios/harness/key_listing.h"
#include "scenarios/harness/metrics_json.h"
#include "scenarios/harness/scenario_file.h"
#include "scenarios/harness/systemc_reports.h"

namespace scribeline::harness {
namespace fs = std::filesystem;
namespace {

// One run of one scenario. Errors travel as exceptions until run() turns them into an exit code.
class session {
 public:
  session(scenario& what, std::ostream& out, std::ostream& err) : scenario_(what), out_(out), err_(err) {
    declare_run_keys(keys_, settings_, what.fidelities());
    what.declare_keys(keys_);
  }

  exit_code execute(const command_line& line) {
    if (line.print_and_leave) return print(*line.print_and_leave);
    if (line.list_keys == command_line::listing::text) return print(list_keys(keys_));
    if (line.list_keys == command_line::listing::markdown) return print(list_keys_markdown(keys_));

    load(line);
    result_directory results(line.out.empty() ? fs::path("out") / fs::path(line.scenario_file).stem()
                                              : fs::path(line.out));
    copy_inputs(keys_, results);
    results.write("effective.toml", effective_toml(keys_, budgets_, scenario_.name()));
    // The hash reads input files: before the run, so that both see the same.
    const std::string hash = config_hash(keys_, scenario_.name());

    const interrupt_guard interrupt;
    progress bar(err_, &err_ == &std::cerr && isatty(STDERR_FILENO) == 1);
    run_context context(settings_, results, interrupt, bar, err_);
    scenario_.run(context);
    bar.finish();

    const bool partial = context.interrupted();
    if (!partial) note_missing_waves(results);
    const std::string json = metrics_json({scenario_.name(), hash, partial}, context.metrics, keys_, unused_);
    results.write("metrics.json", json);
    if (line.json) {
      print(json);
    } else {
      print_tables(context);
    }
    if (partial) return note_partial(results);
    std::vector<budget> limits = budgets_;
    limits.insert(limits.end(), context.requirements().begin(), context.requirements().end());
    return judge(line, limits, context.metrics);
  }

 private:
  void load(const command_line& line) {
    scenario_input input = parse_scenario(read_file(line.scenario_file), line.scenario_file);
    for (const auto& [text, option] : line.settings)
      add_setting(input, text, option);
    unused_ = keys_.apply(input.settings, fs::path(line.scenario_file).parent_path());
    budgets_ = std::move(input.budgets);
    for (const unused_key& one : unused_) {
      err_ << fmt::format("note: {}: {} has no effect: it is used only when {}\n", one.where, one.path, one.condition);
    }
  }

  exit_code print(const std::string& text) {
    out_ << text << std::flush;
    if (!out_) throw base::output_failed("cannot write to standard output");
    return exit_code::fine;
  }

  void print_tables(const run_context& context) {
    std::string text = context.metrics.headline_table().text();
    for (const auto& [title, table] : context.tables())
      text += "\n" + title + "\n" + table.text();
    text += "\nresults in " + context.results.path().string() + "\n";
    print(text);
  }

  void note_missing_waves(const result_directory& results) {
    const auto& files = results.files();
    if (settings_.waves == waves::off || std::find(files.begin(), files.end(), "waves.vcd") != files.end()) return;
    err_ << "note: trace.waves has no effect: a run of " << scenario_.name() << " has no waves\n";
  }

  exit_code note_partial(const result_directory& results) {
    std::string names;
    for (const std::string& file : results.complete_files()) {
      if (file != "effective.toml" && file.rfind("inputs/", 0) != 0) names += " " + file;
    }
    err_ << "interrupted: these files of " << results.path().string()
         << " cover the time simulated so far only:" << names << "\n";
    return exit_code::interrupted;
  }

  exit_code judge(const command_line& line, const std::vector<budget>& limits, const metrics& measured) {
    const auto contradictions = measured.contradictions();
    for (const std::string& text : contradictions) {
      err_ << "error: the model is wrong: " << text << "\n";
    }
    if (!contradictions.empty()) return exit_code::beats_bound;
    if (!line.check_budgets || limits.empty()) return exit_code::fine;
    const budget_report report = check_budgets(limits, measured);
    const std::string text = (line.json ? "" : "\n") + report.table.text();
    if (line.json) {
      err_ << text;
    } else {
      print(text);
    }
    if (!report.met) err_ << "error: a budget is missed\n";
    return report.met ? exit_code::fine : exit_code::budget_missed;
  }

  scenario& scenario_;
  std::ostream& out_;
  std::ostream& err_;
  run_settings settings_;
  key_table keys_;
  std::vector<unused_key> unused_;
  std::vector<budget> budgets_;
};

std::string error_lines(const std::string& text) {
  std::string lines = "error: ";
  for (const char c : text)
    lines += c == '\n' ? std::string("\nerror: ") : std::string(1, c);
  return lines + "\n";
}

}  // namespace

int run(int argc, const char* const* argv, scenario& what, std::ostream& out, std::ostream& err) {
  const auto fail = [&err](exit_code code, const std::string& text) {
    err << error_lines(text) << std::flush;
    return static_cast<int>(code);
  };
  const report_redirection redirection(err);
  try {
    const command_line line = parse_command_line(argc, argv, what.name(), what.summary());
    return static_cast<int>(session(what, out, err).execute(line));
  } catch (const sc_core::sc_report& report) {
    return fail(exit_code_of(report), report_text(report));
  } catch (const std::exception& defect) {
    return fail(exit_code::model_failed, std::string("the model failed: ") + defect.what());
  }
}

}  // namespace scribeline::harness
