#include "scenarios/harness/result_directory.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtl_tlm/base/error.h"

namespace scribeline::harness {
namespace fs = std::filesystem;
namespace {

bool is_input(const std::string& name) {
  return name.rfind("inputs/", 0) == 0;
}

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
    list_ = std::make_unique<result_list>(folder_);
    for (const std::string& name : list_->earlier()) {
      if (!is_input(name)) remove_old(name);
    }
    list_->begin();
  } catch (const base::output_failed& failure) {
    refuse(failure.what());
  }
}

// Of a run that was killed, what it had not finished.
void result_directory::remove_old(const std::string& name) {
  const fs::path file = folder_ / name;
  for (const fs::path& one : {file, beside(file)}) {
    std::error_code problem;
    if (!fs::is_regular_file(fs::symlink_status(one, problem))) continue;
    fs::remove(one, problem);
    if (problem)
      throw base::output_failed(fmt::format("{} of an earlier run stays: {}", one.string(), problem.message()));
  }
}

void result_directory::drop_old_inputs() {
  for (const std::string& name : list_->earlier()) {
    if (is_input(name) && std::find(files_.begin(), files_.end(), name) == files_.end()) remove_old(name);
  }
}

fs::path result_directory::stream(const std::string& name) {
  if (std::find(files_.begin(), files_.end(), name) == files_.end()) {
    files_.push_back(name);
    list_->add(name);
  }
  return folder_ / name;
}

std::vector<std::string> result_directory::complete_files() const {
  std::vector<std::string> complete;
  for (const std::string& name : files_) {
    std::error_code ignored;
    if (fs::exists(folder_ / name, ignored)) complete.push_back(name);
  }
  return complete;
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
