#include "rtl_tlm/trace/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "rtl_tlm/base/error.h"

namespace scribeline::trace {

output_file::output_file(std::filesystem::path file) : path_(std::move(file)) {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("open", errno);
}

output_file::~output_file() {
  try {
    close();
  } catch (const base::output_failed&) {
    // Unwinding from a failure that is already on its way to the user.
  }
}

void output_file::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && is_open()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int reason = errno;
      buffer_.clear();
      fail("write", reason);
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void output_file::close() {
  if (!is_open()) return;
  const int descriptor = descriptor_;
  try {
    flush();
  } catch (const base::output_failed&) {
    descriptor_ = -1;
    ::close(descriptor);
    throw;
  }
  descriptor_ = -1;
  if (::close(descriptor) != 0) fail("close", errno);
}

void output_file::fail(const char* what, int reason) const {
  throw base::output_failed(fmt::format("cannot {} {}: {}", what, path_.string(), std::strerror(reason)));
}

}  // namespace scribeline::trace
