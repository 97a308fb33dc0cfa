#include "rtl_tlm/trace/timeline_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "rtl_tlm/base/error.h"

namespace scribeline::trace {
namespace {

std::string json_text(std::string_view text) {
  std::string escaped = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      escaped += std::string("\\") + c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      escaped += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      escaped += c;
    }
  }
  return escaped + "\"";
}

// The format counts microseconds; digits after the point keep the picoseconds.
std::string microseconds(std::uint64_t ps) {
  constexpr std::uint64_t ps_per_us = 1'000'000;
  return fmt::format("{}.{:06}", ps / ps_per_us, ps % ps_per_us);
}

}  // namespace

timeline_writer::timeline_writer(std::filesystem::path file) : file_(std::move(file)) {
  file_.write("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
}

timeline_writer::~timeline_writer() {
  try {
    close();
  } catch (const base::output_failed&) {
    // Unwinding from a failure that is already on its way to the user.
  }
}

timeline_track timeline_writer::add_track(const std::string& name_of_process, const std::string& name) {
  auto found = std::find_if(processes_.begin(), processes_.end(),
                            [&](const process& one) { return one.name == name_of_process; });
  const int number = static_cast<int>(found - processes_.begin()) + 1;
  if (found == processes_.end()) {
    found = processes_.insert(found, process{name_of_process});
    write_metadata("process_name", number, 0, fmt::format("\"name\": {}", json_text(name_of_process)));
    write_metadata("process_sort_index", number, 0, fmt::format("\"sort_index\": {}", number));
  }
  const int thread = ++found->tracks;
  write_metadata("thread_name", number, thread, fmt::format("\"name\": {}", json_text(name)));
  write_metadata("thread_sort_index", number, thread, fmt::format("\"sort_index\": {}", thread));
  return {this, number, thread};
}

void timeline_writer::write_metadata(std::string_view kind, int pid, int tid, std::string_view argument) {
  write_event(
      fmt::format(R"({{"ph": "M", "pid": {}, "tid": {}, "name": "{}", "args": {{{}}}}})", pid, tid, kind, argument));
}

void timeline_writer::write_event(std::string_view event) {
  if (!file_.is_open()) return;
  if (!empty_) file_.write(",\n");
  empty_ = false;
  file_.write(event);
}

void timeline_writer::close() {
  if (!file_.is_open()) return;
  file_.write("\n]}\n");
  file_.close();
}

void timeline_track::span(std::string_view name, const sc_core::sc_time& start, const sc_core::sc_time& end) const {
  if (writer_ != nullptr) span(name, start, end, {});
}

void timeline_track::span(std::string_view name, const sc_core::sc_time& start, const sc_core::sc_time& end,
                          const arguments& details) const {
  if (writer_ == nullptr) return;
  if (end < start) throw std::logic_error(fmt::format("span \"{}\" ends before it starts", name));
  std::string event =
      fmt::format(R"({{"ph": "X", "pid": {}, "tid": {}, "ts": {}, "dur": {}, "name": {})", process_, thread_,
                  microseconds(start.value()), microseconds((end - start).value()), json_text(name));
  if (!details.empty()) {
    std::string list;
    for (const auto& [key, value] : details)
      list += fmt::format("{}{}: {}", list.empty() ? "" : ", ", json_text(key), value);
    event += ", \"args\": {" + list + "}";
  }
  writer_->write_event(event + "}");
}

void timeline_track::counter(std::string_view name, const sc_core::sc_time& at, double value) const {
  if (writer_ == nullptr) return;
  if (!std::isfinite(value)) throw std::logic_error(fmt::format("counter \"{}\" is not finite", name));
  writer_->write_event(
      fmt::format(R"({{"ph": "C", "pid": {}, "tid": {}, "ts": {}, "name": {}, "args": {{"value": {}}}}})", process_,
                  thread_, microseconds(at.value()), json_text(name), value));
}

}  // namespace scribeline::trace
