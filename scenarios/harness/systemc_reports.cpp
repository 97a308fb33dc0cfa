#include "scenarios/harness/systemc_reports.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include "rtl_tlm/base/error.h"

namespace scribeline::harness {
namespace {

// SystemC prints its copyright banner between the start of the process and sc_main, unless this is set; so it has
// to be set while the process initialises. A value the user has set stays.
[[maybe_unused]] const int banner_is_off = setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "DISABLE", 0);

// sc_report_handler takes a plain function.
std::ostream* redirected = nullptr;

void display_elsewhere(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if ((actions & sc_core::SC_DISPLAY) != 0 && redirected != nullptr) *redirected << report_text(report) << '\n';
  sc_core::sc_report_handler::default_handler(report, actions & ~static_cast<sc_core::sc_actions>(sc_core::SC_DISPLAY));
}

}  // namespace

report_redirection::report_redirection(std::ostream& stream) : before_(sc_core::sc_report_handler::get_handler()) {
  redirected = &stream;
  sc_core::sc_report_handler::set_handler(display_elsewhere);
  fatal_before_ =
      sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_CACHE_REPORT | sc_core::SC_THROW);
}

report_redirection::~report_redirection() {
  sc_core::sc_report_handler::set_handler(before_);
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, fatal_before_);
  redirected = nullptr;
}

exit_code exit_code_of(const sc_core::sc_report& report) {
  const std::string id = report.get_msg_type();
  if (id == base::bad_input::id) return exit_code::bad_input;
  if (id == base::does_not_fit::id) return exit_code::does_not_fit;
  if (id == base::no_progress::id) return exit_code::no_progress;
  if (id == base::output_failed::id) return exit_code::output_failed;
  return exit_code::model_failed;
}

std::string report_text(const sc_core::sc_report& report) {
  std::string text;
  if (exit_code_of(report) == exit_code::model_failed) text = std::string(report.get_msg_type()) + ": ";
  text += report.get_msg();
  const char* process = report.get_process_name();
  if (process != nullptr && *process != 0) {
    text += std::string(" (in ") + process + " at " + report.get_time().to_string() + ")";
  }
  return text;
}

}  // namespace scribeline::harness
