// Which files of a folder are results of a run: a list in the folder itself, and the claim of one run to it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace scribeline::harness {

// The list is a hidden file, a name a line behind a comment, that grows as files are begun: the next run knows what to
// remove also when this one is killed. While the object lives no other process gets the folder.
class result_list {
 public:
  static constexpr const char* file_name = ".scribeline_results";

  // Opens or makes the list of `folder` and claims it. Throws base::output_failed: another run has it, or the system's
  // reason.
  explicit result_list(const std::filesystem::path& folder);
  ~result_list();
  result_list(const result_list&) = delete;
  result_list& operator=(const result_list&) = delete;

  // What the earlier run has listed: names below the folder, those that would lead out of it left out.
  const std::vector<std::string>& earlier() const { return earlier_; }
  // Starts the list of this run. As add(), throws base::output_failed.
  void begin();
  void add(const std::string& name);

 private:
  void claim() const;
  void read_earlier();

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::vector<std::string> earlier_;
};

}  // namespace scribeline::harness
