#include "scenarios/harness/result_directory.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtl_tlm/base/error.h"

namespace scribeline::harness {
namespace fs = std::filesystem;
namespace {

constexpr const char* names_of_results[] = {"metrics.json",   "effective.toml", "requests.csv",    "stages.csv",
                                            "operations.csv", "links.csv",      "heatmap.svg",     "waves.vcd",
                                            "waves.gtkw",     "timeline.json",  "collectives.csv", "kernels.csv"};
// Folders of pictures whose number depends on the run.
constexpr const char* folders_of_results[] = {"floor_plans"};

fs::path beside(const fs::path& file) {
  return file.string() + ".tmp";
}

}  // namespace

atomic_file::atomic_file(fs::path file) : path_(std::move(file)), stream_(beside(path_)) {}

atomic_file::~atomic_file() {
  if (committed_) return;
  std::error_code ignored;
  fs::remove(beside(path_), ignored);
}

void atomic_file::commit() {
  stream_.close();
  std::error_code problem;
  fs::rename(beside(path_), path_, problem);
  if (problem) throw base::output_failed(fmt::format("cannot write {}: {}", path_.string(), problem.message()));
  committed_ = true;
}

result_directory::result_directory(fs::path folder) : folder_(std::move(folder)) {
  const auto refuse = [this](const std::string& reason) {
    throw base::bad_input(fmt::format("--out {}: cannot write results there: {}", folder_.string(), reason));
  };
  std::error_code problem;
  fs::create_directories(folder_, problem);
  if (problem) refuse(problem.message());
  if (!fs::is_directory(folder_, problem)) refuse("it is not a folder");
  try {
    trace::output_file probe(folder_ / ".scribeline_probe.tmp");
    probe.write("can this folder be written?\n");
    probe.close();
  } catch (const base::output_failed& failure) {
    refuse(failure.what());
  }
  fs::remove(folder_ / ".scribeline_probe.tmp", problem);
  for (const char* name : names_of_results) {
    fs::remove(folder_ / name, problem);
    if (problem) refuse(fmt::format("{} of an earlier run stays: {}", name, problem.message()));
  }
  for (const char* name : folders_of_results) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder_ / name, none)) {
      if (entry.path().extension() == ".svg") fs::remove(entry.path(), problem);
      if (problem) refuse(fmt::format("{} of an earlier run stays: {}", entry.path().string(), problem.message()));
    }
  }
}

fs::path result_directory::stream(const std::string& name) {
  if (std::find(files_.begin(), files_.end(), name) == files_.end()) files_.push_back(name);
  return folder_ / name;
}

std::unique_ptr<atomic_file> result_directory::create(const std::string& name) {
  const fs::path file = stream(name);
  std::error_code problem;
  fs::create_directories(file.parent_path(), problem);
  if (problem)
    throw base::output_failed(fmt::format("cannot create {}: {}", file.parent_path().string(), problem.message()));
  return std::make_unique<atomic_file>(file);
}

void result_directory::write(const std::string& name, std::string_view contents) {
  const auto file = create(name);
  file->write(contents);
  file->commit();
}

}  // namespace scribeline::harness
