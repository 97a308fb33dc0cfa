// Speed and memory of the wafer chain scenario, as a Markdown table.
//
//     bench_wafer_chain WAFER_CHAIN_BINARY SCENARIOS_FOLDER [OUTPUT_FOLDER]
//
// Each row is one process: simulated tokens, processor seconds of one core (user + system), tokens per processor
// second, wall seconds, peak resident memory. Start-up is a run of a single token.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

struct cost {
  double wall_s, cpu_s;
  long peak_kib;
};

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

// Runs a command with its output thrown away. Ends the benchmark if it fails.
cost measure(const std::vector<std::string>& command) {
  const auto begin = std::chrono::steady_clock::now();
  std::fflush(stdout);  // or the child would print it again
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr)
      _exit(127);
    std::vector<char*> arguments;
    for (const std::string& word : command)
      arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fmt::print(stderr, "bench_wafer_chain: '{}' failed\n", fmt::join(command, " "));
    std::exit(1);
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  return {wall.count(), seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss};
}

// A copy of the model description with another number of layers.
std::string with_layers(const std::string& description, const std::string& folder, int layers) {
  std::ifstream in(description);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::string key = "\"num_hidden_layers\": ";
  const std::size_t at = text.find(key);
  if (at == std::string::npos) {
    fmt::print(stderr, "bench_wafer_chain: no num_hidden_layers in '{}'\n", description);
    std::exit(1);
  }
  const std::size_t begin = at + key.size();
  text.replace(begin, text.find(',', begin) - begin, std::to_string(layers));
  const std::string copy = fmt::format("{}-{}-layers.json", folder, layers);
  std::ofstream(copy) << text;
  return copy;
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc < 3) {
    fmt::print(stderr, "usage: {} WAFER_CHAIN_BINARY SCENARIOS_FOLDER [OUTPUT_FOLDER]\n", argv[0]);
    return 2;
  }
  const std::string binary = argv[1];
  const std::string sol = std::string(argv[2]) + "/sol.toml";
  const std::string out = argc > 3 ? argv[3] : (std::filesystem::temp_directory_path() / "bench_wafer_chain").string();

  const auto row = [&](const std::string& what, long tokens, std::vector<std::string> settings) {
    std::vector<std::string> command = {binary, sol, "--budgets", "ignore", "--out", out};
    settings.insert(settings.end(), {"workload.prompt_tokens=8192", "workload.cached_tokens=8191"});
    for (const std::string& setting : settings)
      command.insert(command.end(), {"--set", setting});
    const cost c = measure(command);
    fmt::print("| {} | {} | {:.2f} | {:.0f} | {:.2f} | {:.0f} |\n", what, tokens, c.cpu_s,
               static_cast<double>(tokens) / c.cpu_s, c.wall_s, static_cast<double>(c.peak_kib) / 1024);
    std::fflush(stdout);
  };
  const auto tokens = [](long n) { return fmt::format("workload.output_tokens={}", n); };
  const std::string off = "trace.waves=off";
  const std::string on = "trace.waves=on";
  const std::string once = "workload.requests=1";

  fmt::print(
      "| Sol on 82 wafers | tokens | CPU s | tokens per CPU s | wall s | peak MiB |\n|---|---|---|---|---|---|\n");
  row("start-up and one token", 1, {once, tokens(1), off});
  const std::string burst = "run.fidelity=burst";
  row("start-up and one token, burst", 1, {once, tokens(1), off, burst});
  for (const long n : {100L, 1000L, 10000L})
    row("one user, waves off", n, {once, tokens(n), off});
  row("one user, waves off, burst", 10000, {once, tokens(10000), off, burst});
  row("one user, waves on", 1000, {once, tokens(1000), on});
  row("96 users, waves off", 96 * 32, {"workload.users=96", "workload.requests=96", tokens(32), off});

  fmt::print("\n| Sol with fewer layers, waves off | tokens | CPU s | tokens per CPU s | wall s | peak MiB |\n");
  fmt::print("|---|---|---|---|---|---|\n");
  for (const int layers : {10, 20, 40, 80}) {
    const std::string model = with_layers(std::string(argv[2]) + "/../../models/sol-estimate.json", out, layers);
    row(fmt::format("{} wafers", layers + 2), 2000, {once, tokens(2000), off, "model.config=" + model});
  }
  return 0;
}
