// Runs a scenario binary as a user does: SCENARIO_BINARY, if the test is of one, or the one that binary() names.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/unit/harness/scratch_folder.h"

namespace scenario_binary {

using scratch_folder = scribeline::harness::test::scratch_folder;

#ifndef SCENARIO_BINARY
#define SCENARIO_BINARY ""
#endif

// The path of the binary that is run.
inline std::string& binary() {
  static std::string path = SCENARIO_BINARY;
  return path;
}

struct outcome {
  int exit_code = -1;  // of a process that a signal ended: 1000 + the signal
  std::string out, err;
};

inline std::string data(const std::string& name) {
  return std::string(SCRIBELINE_SOURCE_DIR) + "/tests/data/" + name;
}

inline std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("no file " + file.string());
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// A process that was started and not waited for.
class process {
 public:
  process(const scratch_folder& folder, const std::vector<std::string>& arguments, const std::string& directory = "")
      : out_(folder / "stdout"), err_(folder / "stderr") {
    std::vector<std::string> all = {binary()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& one : all)
      pointers.push_back(one.data());
    pointers.push_back(nullptr);
    id_ = fork();
    if (id_ != 0) return;
    const auto redirect = [](const std::string& file, int to) {
      const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      dup2(descriptor, to);
      close(descriptor);
    };
    redirect(out_, STDOUT_FILENO);
    redirect(err_, STDERR_FILENO);
    if (!directory.empty() && chdir(directory.c_str()) != 0) _exit(127);
    execv(pointers[0], pointers.data());
    _exit(127);
  }

  pid_t id() const { return id_; }

  outcome wait() {
    int status = 0;
    waitpid(id_, &status, 0);
    outcome result;
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    result.out = contents(out_);
    result.err = contents(err_);
    return result;
  }

 private:
  std::string out_, err_;
  pid_t id_ = -1;
};

inline outcome run(const scratch_folder& folder, const std::vector<std::string>& arguments,
                   const std::string& directory = "") {
  return process(folder, arguments, directory).wait();
}

// Settings as --set options.
inline std::vector<std::string> with_settings(std::vector<std::string> arguments,
                                              const std::vector<std::string>& settings) {
  for (const std::string& one : settings) {
    arguments.push_back("--set");
    arguments.push_back(one);
  }
  return arguments;
}

// Every file under a folder by its relative name.
inline std::map<std::string, std::string> files_of(const std::string& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      all[std::filesystem::relative(entry.path(), folder).string()] = contents(entry.path());
    }
  }
  return all;
}

// metrics.json of a run that must succeed.
inline nlohmann::json metrics_of(const scratch_folder& folder, const std::string& scenario,
                                 const std::vector<std::string>& settings) {
  const std::string file = folder.file("measured.toml", scenario);
  const outcome result = run(folder, with_settings({file, "--json", "--out", folder / "measured"}, settings));
  if (result.exit_code != 0) {
    throw std::runtime_error("exit code " + std::to_string(result.exit_code) + ": " + result.err);
  }
  return nlohmann::json::parse(result.out);
}

// One scenario that is run with other settings again and again.
struct scenario_bench {
  scratch_folder folder;
  std::string file;

  explicit scenario_bench(const std::string& scenario) : file(folder.file("s.toml", scenario)) {}

  outcome with(const std::vector<std::string>& settings) const {
    return run(folder, with_settings({file, "--out", folder / "out"}, settings));
  }
  // Another scenario.
  outcome of(const std::string& toml) const {
    return run(folder, {folder.file("bad.toml", toml), "--out", folder / "out"});
  }
};

}  // namespace scenario_binary
