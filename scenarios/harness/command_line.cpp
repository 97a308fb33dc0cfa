#include "scenarios/harness/command_line.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

#include "rtl_tlm/base/error.h"
#include "scenarios/harness/closest_name.h"

namespace scribeline::harness {
namespace {

constexpr const char* footer =
    "Exit status: 0 fine, 1 a budget is missed, 2 bad input, 3 does not fit, 4 no progress,\n"
    "5 a result could not be written, 6 a result beats its bound, 70 defect of the model, 130 interrupted.\n"
    "Settings need no quotes: --set model.file=sol.json --set workload.lengths=1024,2048";

// One scenario and options, as they are meant; CLI11 would show that key=value may follow too.
class usage_formatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App*, std::string name) const override {
    return "\nusage: " + name + " SCENARIO.toml [--set key=value ...] [options]\n";
  }
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, is_positional);
    if (const auto at = name.find("{text}"); at != std::string::npos) name.replace(at, 6, "[=markdown]");
    return name;
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_positional() ? "" : " " + option->get_type_name();
  }
};

// CLI11 names the option it does not know; the nearest one is more help.
std::string with_suggestion(const CLI::App& app, const CLI::ParseError& problem, int argc, const char* const* argv) {
  std::string text = problem.what();
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames())
      known.push_back("--" + name);
  }
  for (int i = 1; i < argc; ++i) {
    const std::string option = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (option.rfind("--", 0) != 0 || std::find(known.begin(), known.end(), option) != known.end()) continue;
    return "unknown option " + option + suggestion(option, known);
  }
  return text;
}

}  // namespace

command_line parse_command_line(int argc, const char* const* argv, const std::string& binary,
                                const std::string& summary) {
  command_line line;
  std::vector<std::string> operands, sets;
  std::string seed, fidelity, waves, budgets = "check", listing;
  bool version = false;

  CLI::App app{summary, binary};
  app.formatter(std::make_shared<usage_formatter>());
  app.footer(footer);
  app.add_option("SCENARIO.toml", operands, "scenario file");
  app.add_option("--set", sets, "override a key of the scenario file")
      ->type_name("key=value")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--out", line.out, "folder for results; made if missing (default: out/<scenario>)")->type_name("DIR");
  app.add_option("--seed", seed, "seed of everything random (run.seed)")->type_name("N");
  app.add_option("--fidelity", fidelity, "how closely the machine is simulated (run.fidelity)")
      ->type_name("formula|burst|wavelet|packet");
  app.add_option("--waves", waves, "write waves and a timeline (trace.waves)")->type_name("on|off|window");
  app.add_option("--budgets", budgets, "whether a missed budget fails the run")
      ->type_name("check|ignore")
      ->check(CLI::IsMember({"check", "ignore"}).description(""));
  app.add_flag("--json", line.json, "print metrics.json to stdout instead of the tables");
  app.add_flag("--list-keys{text}", listing, "print every scenario key and leave (--list-keys=markdown for docs)");
  app.add_flag("--version", version, "print the version and leave");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    line.print_and_leave = app.help();
    return line;
  } catch (const CLI::ParseError& problem) {
    throw base::bad_input(with_suggestion(app, problem, argc, argv) + "; " + binary + " --help shows the options");
  }
  if (version) {
    line.print_and_leave = binary + " (Scribeline " SCRIBELINE_VERSION ")\n";
    return line;
  }
  if (!listing.empty()) {
    if (listing != "text" && listing != "markdown") {
      throw base::bad_input("--list-keys=" + listing + ": must be one of text, markdown");
    }
    line.list_keys = listing == "text" ? command_line::listing::text : command_line::listing::markdown;
    return line;
  }

  if (app.count("--out") > 0 && line.out.empty()) throw base::bad_input("--out \"\": names no folder");
  for (const std::string& text : sets)
    line.settings.emplace_back(text, "--set " + text);
  for (const std::string& operand : operands) {
    if (operand.find('=') != std::string::npos) {
      line.settings.emplace_back(operand, "--set " + operand);
    } else if (line.scenario_file.empty()) {
      line.scenario_file = operand;
    } else {
      throw base::bad_input("one scenario a run: got " + line.scenario_file + " and " + operand);
    }
  }
  if (line.scenario_file.empty()) {
    throw base::bad_input("no scenario file given; usage: " + binary + " SCENARIO.toml [options]; " + binary +
                          " --help shows the options");
  }
  if (!seed.empty()) line.settings.emplace_back("run.seed=" + seed, "--seed " + seed);
  if (!fidelity.empty()) line.settings.emplace_back("run.fidelity=" + fidelity, "--fidelity " + fidelity);
  if (!waves.empty()) line.settings.emplace_back("trace.waves=" + waves, "--waves " + waves);
  line.check_budgets = budgets == "check";
  return line;
}

}  // namespace scribeline::harness
