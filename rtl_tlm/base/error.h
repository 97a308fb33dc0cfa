// Failures that end a run with a meaning a user can act on.
//
// Thrown by any layer, also from inside a SystemC process: they are sc_reports with a stable message id, so
// the kernel carries them out of sc_start() unchanged in id and text (as a plain sc_report: the kernel copies
// it). Scenario binaries map the id to an exit code, see scenarios/harness/exit_code.h; somebody else's
// sc_main catches sc_core::sc_report.
#pragma once

#include <string>
#include <systemc>

namespace scribeline::base {

// what() and get_msg() are the message alone. The message says what is wrong, where, and what would be right.
class error : public sc_core::sc_report {
 public:
  const char* what() const noexcept override { return get_msg(); }

 protected:
  error(const char* id, const std::string& message)
      : sc_report(sc_core::SC_ERROR, sc_core::sc_report_handler::add_msg_type(id), message.c_str(), "", 0) {}
};

// The user gave something that cannot be simulated: names file, line, key and what would be right.
class bad_input : public error {
 public:
  static constexpr const char* id = "/scribeline/bad_input";
  explicit bad_input(const std::string& message) : error(id, message) {}
};

// Something does not fit into a memory: names the stage or core, needed and available bytes.
class does_not_fit : public error {
 public:
  static constexpr const char* id = "/scribeline/does_not_fit";
  explicit does_not_fit(const std::string& message) : error(id, message) {}
};

// Simulated time or work stands still: names who waits for whom.
class no_progress : public error {
 public:
  static constexpr const char* id = "/scribeline/no_progress";
  explicit no_progress(const std::string& message) : error(id, message) {}
};

// A result file could not be written: names the file and the reason the system gave.
class output_failed : public error {
 public:
  static constexpr const char* id = "/scribeline/output_failed";
  explicit output_failed(const std::string& message) : error(id, message) {}
};

}  // namespace scribeline::base
