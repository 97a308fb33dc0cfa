// A file that is written once, front to back, through a buffer, and that does not lose errors.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace scribeline::trace {

// Errors throw base::output_failed with the file and the reason the system gives (no space left, ...).
// The destructor writes out what is buffered but cannot report errors: call close().
class output_file {
 public:
  explicit output_file(std::filesystem::path file);
  ~output_file();
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  void write(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= flush_at_bytes) flush();
  }
  // Hands everything to the system.
  void flush();
  void close();
  bool is_open() const { return descriptor_ >= 0; }
  const std::filesystem::path& path() const { return path_; }

 private:
  static constexpr std::size_t flush_at_bytes = 1u << 16;
  [[noreturn]] void fail(const char* what, int reason) const;

  std::filesystem::path path_;
  std::string buffer_;
  int descriptor_ = -1;
};

}  // namespace scribeline::trace
