// Keeps SystemC's own messages away from results.
#pragma once

#include <ostream>
#include <systemc>

#include "scenarios/harness/exit_code.h"

namespace scribeline::harness {

// While it lives, SystemC reports that would be displayed on stdout go to the stream, one line each, and a fatal
// report throws instead of aborting the process, so that results and waves are still written.
class report_redirection {
 public:
  explicit report_redirection(std::ostream& stream);
  ~report_redirection();
  report_redirection(const report_redirection&) = delete;
  report_redirection& operator=(const report_redirection&) = delete;

 private:
  sc_core::sc_report_handler_proc before_;
  sc_core::sc_actions fatal_before_;
};

// The exit code of a report by its message id (the ids of rtl_tlm/base/error.h, else model_failed).
exit_code exit_code_of(const sc_core::sc_report& report);

// The message, and for reports that are not the project's errors their id; with process and simulated time if the
// report was made inside a process.
std::string report_text(const sc_core::sc_report& report);

}  // namespace scribeline::harness
