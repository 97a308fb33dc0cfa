#include "scenarios/harness/result_list.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "rtl_tlm/base/error.h"

namespace scribeline::harness {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const char* what, const fs::path& file) {
  throw base::output_failed(fmt::format("cannot {} {}: {}", what, file.string(), std::strerror(errno)));
}

// A line of the list may have been written by anybody.
bool stays_below(const fs::path& name) {
  if (name.empty() || name.is_absolute()) return false;
  for (const fs::path& part : name) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return true;
}

}  // namespace

result_list::result_list(const fs::path& folder) : path_(folder / file_name) {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("open", path_);
  try {
    claim();
    read_earlier();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

result_list::~result_list() {
  ::close(descriptor_);
}

// A file system without locks lets every run in.
void result_list::claim() const {
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  throw base::output_failed("another run is doing so");
}

void result_list::read_earlier() {
  std::ifstream list(path_);
  for (std::string line; std::getline(list, line);) {
    if (line.rfind('#', 0) != 0 && stays_below(line)) earlier_.push_back(line);
  }
}

void result_list::begin() {
  if (ftruncate(descriptor_, 0) != 0) fail("write", path_);
  add("# What the last run wrote into this folder; the next run removes it.");
}

void result_list::add(const std::string& name) {
  const std::string line = name + "\n";
  if (write(descriptor_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) fail("write", path_);
}

}  // namespace scribeline::harness
