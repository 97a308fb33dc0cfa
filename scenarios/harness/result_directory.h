// The folder of one run's results.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rtl_tlm/trace/output_file.h"
#include "scenarios/harness/result_list.h"

namespace scribeline::harness {

// A file that appears under its name only when complete: written beside it, renamed by commit(), removed if the run
// ends otherwise. Errors throw base::output_failed.
class atomic_file {
 public:
  explicit atomic_file(std::filesystem::path file);
  ~atomic_file();

  void write(std::string_view text) { stream_.write(text); }
  void commit();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  trace::output_file stream_;
  bool committed_ = false;
};

class result_directory {
 public:
  // Creates the folder with its parents, tries whether it can be written, claims it for this run, and removes the
  // results of an earlier run (what its list names, nothing else), so that no old file stands beside new ones. Copies
  // of inputs stay until drop_old_inputs(): this run may read them.
  // Throws base::bad_input.
  explicit result_directory(std::filesystem::path folder);

  const std::filesystem::path& path() const { return folder_; }
  // Removes the inputs of an earlier run that this run has not.
  void drop_old_inputs();
  // Where to write a file that grows during the run (waves). It is listed among the files of the run.
  std::filesystem::path stream(const std::string& name);
  // Writes a whole file. Throws base::output_failed.
  void write(const std::string& name, std::string_view contents);
  // A file written in pieces; its folder is created. Throws base::output_failed.
  std::unique_ptr<atomic_file> create(const std::string& name);
  // The files of this run, in the order they were begun.
  const std::vector<std::string>& files() const { return files_; }
  // Those of them that are there.
  std::vector<std::string> complete_files() const;

 private:
  void remove_old(const std::string& name);

  std::filesystem::path folder_;
  std::unique_ptr<result_list> list_;
  std::vector<std::string> files_;
};

}  // namespace scribeline::harness
