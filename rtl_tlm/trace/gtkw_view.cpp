#include "rtl_tlm/trace/gtkw_view.h"

#include <fmt/format.h>

#include <cmath>

#include "rtl_tlm/trace/vcd_syntax.h"

namespace scribeline::trace {
namespace {

// Flags of a line in GTKWave's save file, as in its analyzer.h.
enum line_flag : unsigned {
  hexadecimal = 1u << 1,
  decimal = 1u << 2,
  binary = 1u << 3,
  right_justified = 1u << 5,
  blank = 1u << 9,
  ascii = 1u << 11,
  analog_step = 1u << 15,
  analog_stretch = 1u << 17,
  full_scale = 1u << 19,
  closed_group = 1u << 22,
  group_begin = 1u << 23,
  group_end = 1u << 24,
};

// A window on an ordinary screen, and the part of it left for waves.
constexpr int window_width = 1600;
constexpr int window_height = 900;
constexpr double wave_width = 1050;
// Zoom is counted over this many pixels.
constexpr double pixels_per_frame = 200;
constexpr int signal_list_width = 320;
// Lines that an analog signal is high, its own included.
constexpr int analog_lines = 3;

unsigned flags_for(signal_kind kind, display form) {
  switch (form) {
    case display::decimal:
      return decimal | right_justified;
    case display::hexadecimal:
      return hexadecimal | right_justified;
    case display::binary:
      return binary | right_justified;
    case display::analog:
      return decimal | right_justified | analog_step | full_scale;
    case display::automatic:
      break;
  }
  switch (kind) {
    case signal_kind::bit:
      return binary | right_justified;
    case signal_kind::vector:
      return decimal | right_justified;
    case signal_kind::real:
      return decimal | right_justified | analog_step | full_scale;
    default:
      return ascii | right_justified;
  }
}

std::string flag_line(unsigned flags) {
  return fmt::format("@{:x}\n", flags);
}

}  // namespace

gtkw_view::gtkw_view(std::string dump_file) : dump_file_(std::move(dump_file)) {}

gtkw_view& gtkw_view::group(const std::string& title, bool closed) {
  end_group();
  group_is_closed_ = closed;
  lines_ += flag_line(blank | group_begin | (closed ? closed_group : 0u)) + "-" + title + "\n";
  open_group_ = title;
  return *this;
}

std::string gtkw_view::end_of_group() const {
  if (open_group_.empty()) return "";
  return flag_line(blank | group_end | (group_is_closed_ ? closed_group : 0u)) + "-" + open_group_ + "\n";
}

void gtkw_view::end_group() {
  lines_ += end_of_group();
  open_group_.clear();
}

gtkw_view& gtkw_view::comment(const std::string& text) {
  lines_ += flag_line(blank) + "-" + text + "\n";
  return *this;
}

gtkw_view& gtkw_view::show(const signal& one, display form) {
  if (!one.is_recorded()) return *this;
  const unsigned flags = flags_for(one.info().kind, form);
  lines_ += flag_line(flags) + viewer_name(one.info()) + "\n";
  if ((flags & analog_step) != 0) {
    for (int line = 1; line < analog_lines; ++line)
      lines_ += flag_line(analog_stretch) + "-\n";
  }
  return *this;
}

gtkw_view& gtkw_view::open_at(const sc_core::sc_time& start, const sc_core::sc_time& end) {
  start_ = start;
  end_ = end;
  return *this;
}

void gtkw_view::write(const std::filesystem::path& file, const vcd_writer& dump) const {
  const double span =
      std::max(1.0, static_cast<double>(dump.to_units(end_)) - static_cast<double>(dump.to_units(start_)));
  output_file view(file);
  // With both names the viewer finds the dump beside the view, from whatever folder it is started.
  view.write(fmt::format("[dumpfile] \"{}\"\n[savefile] \"{}\"\n", dump_file_, file.filename().string()));
  view.write(fmt::format("[timestart] {}\n", dump.to_units(start_)));
  view.write(fmt::format("[size] {} {}\n[pos] 0 0\n", window_width, window_height));
  // "*zoom marker ...": zoom is the negative binary logarithm of the time a frame covers.
  view.write(fmt::format("*{:.6f} -1", -std::log2(span / wave_width * pixels_per_frame)));
  for (int marker = 0; marker < 26; ++marker)
    view.write(" -1");
  view.write(fmt::format("\n[sst_width] 200\n[signals_width] {}\n[sst_expanded] 0\n", signal_list_width));
  view.write(lines_);
  view.write(end_of_group());
  view.close();
}

}  // namespace scribeline::trace
