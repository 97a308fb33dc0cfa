// The opening view of a waveform file: what GTKWave shows, in which order and form, without a click.
//
//   gtkw_view view("waves.vcd");
//   view.group("wafer 0").show(busy).show(token, display::decimal).show(occupancy, display::analog);
//   view.open_at(start, end);
//   view.write(folder / "waves.gtkw", vcd);
#pragma once

#include <filesystem>
#include <string>
#include <systemc>
#include <vector>

#include "rtl_tlm/trace/vcd_writer.h"

namespace scribeline::trace {

// `automatic` is the waveform of a bit, a decimal number, an analog step for a real, and the word of a text.
enum class display { automatic, decimal, hexadecimal, binary, analog };

class gtkw_view {
 public:
  // The dump as the viewer finds it: a name beside the view.
  explicit gtkw_view(std::string dump_file);

  // Begins a group with a title; the one before ends. A closed group is one line until it is opened.
  gtkw_view& group(const std::string& title, bool closed = false);
  // A line of text between signals.
  gtkw_view& comment(const std::string& text);
  // A signal that is not recorded is left out.
  gtkw_view& show(const signal& one, display form = display::automatic);
  // The span of simulated time visible at first.
  gtkw_view& open_at(const sc_core::sc_time& start, const sc_core::sc_time& end);

  // Throws base::output_failed.
  void write(const std::filesystem::path& file, const vcd_writer& dump) const;

 private:
  void end_group();
  std::string end_of_group() const;

  std::string dump_file_;
  std::string lines_;
  std::string open_group_;
  bool group_is_closed_ = false;
  sc_core::sc_time start_ = sc_core::SC_ZERO_TIME;
  sc_core::sc_time end_ = sc_core::SC_ZERO_TIME;
};

}  // namespace scribeline::trace
