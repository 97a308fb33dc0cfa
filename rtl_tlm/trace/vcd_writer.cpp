#include "rtl_tlm/trace/vcd_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "rtl_tlm/base/error.h"
#include "rtl_tlm/trace/vcd_syntax.h"

namespace scribeline::trace {
namespace {

constexpr std::uint64_t all_bits = std::numeric_limits<std::uint64_t>::max();

std::uint64_t bits_of(double value) {
  std::uint64_t bits = 0;
  static_assert(sizeof bits == sizeof value);
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

double real_of(std::uint64_t bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// The signals of one scope and the scopes inside it, both in order of declaration.
struct scope_node {
  std::string name;
  std::vector<std::uint32_t> signals;
  std::vector<scope_node> inner;

  scope_node& at(std::string_view path) {
    const auto dot = path.find('.');
    const std::string_view first = path.substr(0, dot);
    auto found = std::find_if(inner.begin(), inner.end(), [&](const scope_node& one) { return one.name == first; });
    if (found == inner.end()) found = inner.insert(found, scope_node{std::string(first), {}, {}});
    return dot == std::string_view::npos ? *found : found->at(path.substr(dot + 1));
  }
};

}  // namespace

const signal_info& signal::info() const {
  if (writer_ == nullptr) throw std::logic_error("this signal is not recorded");
  return writer_->info(index_);
}

vcd_writer::vcd_writer(std::filesystem::path file, const vcd_options& options)
    : file_(std::move(file)),
      options_(options),
      ticks_per_unit_(
          sc_core::sc_time(1, options.unit == timescale::picosecond ? sc_core::SC_PS : sc_core::SC_NS).value()),
      window_start_(to_units(options.window_start)),
      window_end_(to_units(options.window_end)) {}

vcd_writer::~vcd_writer() {
  try {
    close();
  } catch (const base::output_failed&) {
    // Unwinding from a failure that is already on its way to the user.
  }
}

std::uint32_t vcd_writer::declare(signal_info info, std::uint64_t initial) {
  if (opened_) throw std::logic_error("signals are declared before the first change is written: " + info.name);
  if (info.width < 1 || info.width > 64) throw std::logic_error("a vector has 1 to 64 bits: " + info.name);
  check_signal_name(info.scope, info.name);
  const std::uint64_t mask = info.kind == signal_kind::vector ? all_bits >> (64 - info.width) : all_bits;
  signals_.push_back({std::move(info), identifier_code(signals_.size()), mask, initial & mask, initial & mask});
  return static_cast<std::uint32_t>(signals_.size() - 1);
}

bit_signal vcd_writer::add_bit(const std::string& scope, const std::string& name, bool initial) {
  return {this, declare({scope, name, signal_kind::bit, 1}, initial ? 1 : 0)};
}

unsigned_signal vcd_writer::add_unsigned(const std::string& scope, const std::string& name, int width,
                                         std::uint64_t initial) {
  return {this, declare({scope, name, signal_kind::vector, width}, initial)};
}

real_signal vcd_writer::add_real(const std::string& scope, const std::string& name, double initial) {
  return {this, declare({scope, name, signal_kind::real, 64}, bits_of(initial))};
}

text_signal vcd_writer::add_text(const std::string& scope, const std::string& name, std::string_view initial) {
  return {this, declare({scope, name, signal_kind::text, 1}, word(initial))};
}

std::uint64_t vcd_writer::word(std::string_view text) {
  const auto found = word_numbers_.find(text);
  if (found != word_numbers_.end()) return found->second;
  const auto added = word_numbers_.emplace(std::string(text), words_.size()).first;
  words_.push_back(&added->first);
  return added->second;
}

void vcd_writer::record(std::uint32_t index, std::uint64_t value, const sc_core::sc_time& at) {
  if (!file_.is_open()) return;
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  if (at < now) {
    throw std::logic_error(fmt::format("{} is set at {}, before the simulated time {}",
                                       viewer_name(signals_[index].info), at.to_string(), now.to_string()));
  }
  pending_.push({to_units(at), sequence_++, index, value & signals_[index].mask});
  if (to_units(now) > written_until_) write_until(to_units(now));
}

void vcd_writer::record(std::uint32_t index, double value, const sc_core::sc_time& at) {
  record(index, bits_of(value), at);
}

void vcd_writer::record(std::uint32_t index, std::string_view value, const sc_core::sc_time& at) {
  record(index, word(value), at);
}

// Changes before `time` can have no company any more: the kernel's time has reached it.
void vcd_writer::write_until(std::uint64_t time) {
  while (!pending_.empty() && pending_.top().time < time) {
    // What happens up to the start of the window is part of the opening values.
    if (pending_.top().time > window_start_ && !opened_) write_opening_values();
    write_changes_at(pending_.top().time);
  }
  written_until_ = std::max(written_until_, time);
}

void vcd_writer::write_changes_at(std::uint64_t time) {
  for (; !pending_.empty() && pending_.top().time == time; pending_.pop()) {
    traced& one = signals_[pending_.top().index];
    one.value = pending_.top().value;
    if (!one.touched) touched_.push_back(pending_.top().index);
    one.touched = true;
  }
  std::sort(touched_.begin(), touched_.end());
  for (const std::uint32_t index : touched_) {
    traced& one = signals_[index];
    one.touched = false;
    if (!opened_ || time > window_end_ || one.value == one.written) continue;
    write_time(time);
    write_value(one);
  }
  touched_.clear();
}

void vcd_writer::close() {
  if (!file_.is_open()) return;
  write_until(all_bits);
  if (!opened_) write_opening_values();
  // The end is told, so that the last values are seen to last.
  write_time(std::min(to_units(sc_core::sc_time_stamp()), window_end_));
  file_.close();
}

void vcd_writer::write_header() {
  file_.write("$version Scribeline $end\n");
  file_.write(options_.unit == timescale::picosecond ? "$timescale 1 ps $end\n" : "$timescale 1 ns $end\n");
  scope_node root;
  for (std::uint32_t index = 0; index < signals_.size(); ++index)
    root.at(signals_[index].info.scope).signals.push_back(index);
  const auto write_scope = [this](const scope_node& scope, const auto& self) -> void {
    file_.write("$scope module " + scope.name + " $end\n");
    for (const std::uint32_t index : scope.signals)
      file_.write(declaration(signals_[index].info, signals_[index].code));
    for (const scope_node& one : scope.inner)
      self(one, self);
    file_.write("$upscope $end\n");
  };
  for (const scope_node& scope : root.inner)
    write_scope(scope, write_scope);
  file_.write("$enddefinitions $end\n");
}

void vcd_writer::write_opening_values() {
  opened_ = true;
  write_header();
  last_time_ = window_start_;
  file_.write(fmt::format("#{}\n$dumpvars\n", last_time_));
  for (traced& one : signals_)
    write_value(one);
  file_.write("$end\n");
}

void vcd_writer::write_time(std::uint64_t time) {
  if (time <= last_time_) return;
  last_time_ = time;
  file_.write(fmt::format("#{}\n", time));
}

void vcd_writer::write_value(traced& one) {
  one.written = one.value;
  switch (one.info.kind) {
    case signal_kind::bit:
      file_.write((one.value != 0 ? "1" : "0") + one.code + "\n");
      break;
    case signal_kind::vector:
      file_.write("b" + binary_digits(one.value) + " " + one.code + "\n");
      break;
    case signal_kind::real:
      file_.write(fmt::format("r{} {}\n", real_of(one.value), one.code));
      break;
    case signal_kind::text:
      file_.write("s" + escaped_text(*words_[one.value]) + " " + one.code + "\n");
      break;
  }
}

}  // namespace scribeline::trace
