#include "scenarios/harness/progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/harness/text_table.h"

namespace scribeline::harness {
namespace {

constexpr double redraw_every_s = 0.2;
constexpr const char* clear_line = "\r\x1b[K";

}  // namespace

progress::progress(std::ostream& terminal, bool is_terminal)
    : terminal_(terminal), active_(is_terminal), begin_(clock::now()), last_(begin_) {}

void progress::draw(double done, double total, const char* what) {
  const auto now = clock::now();
  if (std::chrono::duration<double>(now - last_).count() < redraw_every_s) return;
  last_ = now;
  drawn_ = true;
  const double elapsed_s = std::chrono::duration<double>(now - begin_).count();
  const double share = total > 0 ? std::clamp(done / total, 0.0, 1.0) : 0.0;
  terminal_ << clear_line
            << fmt::format("{} of {} {} ({:.0f} %)", short_number(done), short_number(total), what, share * 100);
  if (share > 0) terminal_ << ", " << duration_text(elapsed_s * (1 - share) / share) << " left";
  terminal_ << std::flush;
}

void progress::finish() {
  if (drawn_) terminal_ << clear_line << std::flush;
  drawn_ = false;
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::max(0.0, seconds) + 0.5);
  if (whole >= 3600) return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
  if (whole >= 60) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} s", whole);
}

}  // namespace scribeline::harness
