// How far a long run is, with the time it still needs: one line on a terminal, nothing elsewhere.
#pragma once

#include <chrono>
#include <ostream>
#include <string>

namespace scribeline::harness {

class progress {
 public:
  // Inactive (and free) unless `is_terminal`.
  progress(std::ostream& terminal, bool is_terminal);
  ~progress() { finish(); }
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  // Cheap enough to call per token: redraws at most five times a second. `what` names the unit, e.g. "tokens".
  void update(double done, double total, const char* what) {
    if (active_) draw(done, total, what);
  }
  // Removes the line, so that results follow on a clean one.
  void finish();

 private:
  using clock = std::chrono::steady_clock;
  void draw(double done, double total, const char* what);

  std::ostream& terminal_;
  bool active_;
  bool drawn_ = false;
  clock::time_point begin_;
  clock::time_point last_;
};

// "2 h 05 min", "3 min 07 s", "12 s"
std::string duration_text(double seconds);

}  // namespace scribeline::harness
