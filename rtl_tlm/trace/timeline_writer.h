// A timeline in the trace-event format that Perfetto (ui.perfetto.dev) and chrome://tracing open: spans of work on
// named tracks, and counters.
//
//   timeline_writer timeline(folder / "timeline.json");
//   timeline_track link = timeline.add_track("wafer 0", "link out");
//   link.span("token 5", start, end);
//   timeline.close();
//
// Events may come in any order; viewers sort them. The file is complete when closed or destroyed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <systemc>
#include <utility>
#include <vector>

#include "rtl_tlm/trace/output_file.h"

namespace scribeline::trace {

class timeline_writer;

// A line of the timeline. A default-constructed track is not recorded and costs one branch.
class timeline_track {
 public:
  using arguments = std::vector<std::pair<std::string_view, std::int64_t>>;

  timeline_track() = default;
  bool is_recorded() const { return writer_ != nullptr; }
  // Work from start to end. Spans of a track must nest or follow each other.
  void span(std::string_view name, const sc_core::sc_time& start, const sc_core::sc_time& end) const;
  // With numbers that the viewer shows beside it: {{"user", 3}, {"bytes", 20480}}.
  void span(std::string_view name, const sc_core::sc_time& start, const sc_core::sc_time& end,
            const arguments& details) const;
  // A quantity over time, drawn as steps under the process of the track.
  void counter(std::string_view name, const sc_core::sc_time& at, double value) const;

 private:
  friend class timeline_writer;
  timeline_track(timeline_writer* writer, int process, int thread)
      : writer_(writer), process_(process), thread_(thread) {}

  timeline_writer* writer_ = nullptr;
  int process_ = 0;
  int thread_ = 0;
};

class timeline_writer {
 public:
  // Throws base::output_failed.
  explicit timeline_writer(std::filesystem::path file);
  ~timeline_writer();
  timeline_writer(const timeline_writer&) = delete;
  timeline_writer& operator=(const timeline_writer&) = delete;

  // Tracks of one process are shown together, both in order of first use.
  timeline_track add_track(const std::string& process, const std::string& name);
  // Throws base::output_failed.
  void close();

 private:
  friend class timeline_track;
  struct process {
    std::string name;
    int tracks = 0;
  };
  void write_event(std::string_view event);
  void write_metadata(std::string_view kind, int pid, int tid, std::string_view argument);

  output_file file_;
  std::vector<process> processes_;
  bool empty_ = true;
};

}  // namespace scribeline::trace
