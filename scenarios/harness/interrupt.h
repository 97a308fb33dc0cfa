// Ctrl-C ends a run in good order: a flag that the scenario polls.
#pragma once

#include <csignal>

namespace scribeline::harness {

// While it lives, the first SIGINT sets the flag; a second one ends the process at once. One at a time.
class interrupt_guard {
 public:
  interrupt_guard();
  ~interrupt_guard();
  interrupt_guard(const interrupt_guard&) = delete;
  interrupt_guard& operator=(const interrupt_guard&) = delete;

  bool requested() const;

 private:
  struct sigaction before_ {};
};

}  // namespace scribeline::harness
