// The SystemC error that an action ends with.
#pragma once

#include <string>
#include <systemc>
#include <utility>

namespace scribeline::test_support {

// "message type: text" of the sc_report that `action` throws, or "no error".
template <class Action>
std::string report_text(Action&& action) {
  try {
    std::forward<Action>(action)();
  } catch (const sc_core::sc_report& report) {
    return std::string(report.get_msg_type()) + ": " + report.get_msg();
  }
  return "no error";
}

}  // namespace scribeline::test_support
