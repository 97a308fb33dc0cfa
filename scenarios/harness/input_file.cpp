#include "scenarios/harness/input_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "rtl_tlm/base/error.h"
#include "scenarios/harness/config_value.h"

namespace scribeline::harness {
namespace fs = std::filesystem;

fs::path find_input_file(const std::string& name, const fs::path& scenario_folder) {
  std::vector<fs::path> candidates{scenario_folder / name};
  if (const fs::path here{name};
      here.is_relative() && here.lexically_normal() != candidates.front().lexically_normal()) {
    candidates.push_back(here);
  }
  std::string looked;
  for (const fs::path& candidate : candidates) {
    std::error_code ignored;
    const fs::path tidy = candidate.lexically_normal();
    if (fs::is_regular_file(tidy, ignored)) return tidy;
    looked += (looked.empty() ? "" : " and ") + tidy.string();
  }
  throw value_problem(fmt::format("no such file: \"{}\"; looked for {}", name, looked));
}

std::string read_file(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
    throw base::bad_input(fmt::format("cannot read {}: it is a folder", file.string()));
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream || !text) {
    // An empty file sets failbit on `text` and is no error.
    if (stream && stream.peek() == std::ifstream::traits_type::eof()) return "";
    throw base::bad_input(fmt::format("cannot read {}: {}", file.string(), std::strerror(errno != 0 ? errno : EIO)));
  }
  return text.str();
}

std::uint64_t fnv1a_64(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace scribeline::harness
