#include "scenarios/harness/interrupt.h"

namespace scribeline::harness {
namespace {

// A signal handler has no argument to find an object with.
volatile std::sig_atomic_t interrupt_requested = 0;

extern "C" void note_interrupt(int) {
  interrupt_requested = 1;
}

}  // namespace

interrupt_guard::interrupt_guard() {
  interrupt_requested = 0;
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, &before_);
}

interrupt_guard::~interrupt_guard() {
  sigaction(SIGINT, &before_, nullptr);
}

bool interrupt_guard::requested() const {
  return interrupt_requested != 0;
}

}  // namespace scribeline::harness
