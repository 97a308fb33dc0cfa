// A trace file of one test, removed afterwards.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace scribeline::trace::test {

class trace_file {
 public:
  trace_file() {
    std::string name = (std::filesystem::temp_directory_path() / "scribeline_XXXXXX").string();
    const int descriptor = mkstemp(name.data());
    if (descriptor < 0) throw std::runtime_error("cannot make a scratch file: " + name);
    close(descriptor);
    path = name;
  }
  ~trace_file() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  trace_file(const trace_file&) = delete;
  trace_file& operator=(const trace_file&) = delete;

  std::string text() const {
    std::ostringstream all;
    all << std::ifstream(path, std::ios::binary).rdbuf();
    return all.str();
  }

  std::filesystem::path path;
};

}  // namespace scribeline::trace::test
