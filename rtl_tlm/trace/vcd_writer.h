// Waveforms: a change-driven VCD file. A module sets a signal when it changes; nothing is polled.
//
//   vcd_writer vcd(folder / "waves.vcd");
//   bit_signal busy = vcd.add_bit("chain.wafer0", "busy");
//   busy.set(true);                          // at the current simulated time
//   busy.set(false, sc_time_stamp() + 3_us); // known ahead: loosely-timed models run ahead of the kernel
//   vcd.close();
//
// A default-constructed signal is not recorded and costs one branch, so a module keeps its signals as members and a
// platform connects those the user wants to see.
//
// Times may come in any order as long as none lies before the kernel's time (std::logic_error): changes are held back
// until the kernel has passed them. Only the last of several values at one time is written. The file is complete when
// closed or destroyed (also by an exception); std::abort() loses the last 64 KiB.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <queue>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "rtl_tlm/trace/output_file.h"

namespace scribeline::trace {

enum class signal_kind { bit, vector, real, text };

struct signal_info {
  std::string scope;  // dotted
  std::string name;
  signal_kind kind;
  int width;  // bits of a vector
};

class vcd_writer;

// What the kinds of signal share. Signals are handles: copy them freely, use them while their writer lives.
class signal {
 public:
  bool is_recorded() const { return writer_ != nullptr; }
  // Throws std::logic_error for a signal that is not recorded.
  const signal_info& info() const;

 protected:
  signal() = default;
  signal(vcd_writer* writer, std::uint32_t index) : writer_(writer), index_(index) {}

  vcd_writer* writer_ = nullptr;
  std::uint32_t index_ = 0;
};

class bit_signal : public signal {
 public:
  bit_signal() = default;
  void set(bool value) const {
    if (writer_ != nullptr) set(value, sc_core::sc_time_stamp());
  }
  void set(bool value, const sc_core::sc_time& at) const;

 private:
  friend class vcd_writer;
  using signal::signal;
};

class unsigned_signal : public signal {
 public:
  unsigned_signal() = default;
  // Bits above the width are cut off.
  void set(std::uint64_t value) const {
    if (writer_ != nullptr) set(value, sc_core::sc_time_stamp());
  }
  void set(std::uint64_t value, const sc_core::sc_time& at) const;

 private:
  friend class vcd_writer;
  using signal::signal;
};

class real_signal : public signal {
 public:
  real_signal() = default;
  void set(double value) const {
    if (writer_ != nullptr) set(value, sc_core::sc_time_stamp());
  }
  void set(double value, const sc_core::sc_time& at) const;

 private:
  friend class vcd_writer;
  using signal::signal;
};

// A word, as viewers show it in the trace: "idle", "attention". The writer keeps every different word once.
class text_signal : public signal {
 public:
  text_signal() = default;
  void set(std::string_view value) const {
    if (writer_ != nullptr) set(value, sc_core::sc_time_stamp());
  }
  void set(std::string_view value, const sc_core::sc_time& at) const;

 private:
  friend class vcd_writer;
  using signal::signal;
};

enum class timescale { picosecond, nanosecond };

struct vcd_options {
  timescale unit = timescale::picosecond;
  // Only this span of simulated time is written; it opens with the values signals have by then.
  sc_core::sc_time window_start = sc_core::SC_ZERO_TIME;
  sc_core::sc_time window_end = sc_core::sc_max_time();
};

class vcd_writer {
 public:
  // Throws base::output_failed if the file cannot be made.
  explicit vcd_writer(std::filesystem::path file, const vcd_options& options = {});
  ~vcd_writer();
  vcd_writer(const vcd_writer&) = delete;
  vcd_writer& operator=(const vcd_writer&) = delete;

  // Declare every signal before the first change. Scope and name consist of letters, digits, '_' and '-'; the scope
  // is dotted. Widths are 1..64. Throws std::logic_error for anything else.
  bit_signal add_bit(const std::string& scope, const std::string& name, bool initial = false);
  unsigned_signal add_unsigned(const std::string& scope, const std::string& name, int width, std::uint64_t initial = 0);
  real_signal add_real(const std::string& scope, const std::string& name, double initial = 0);
  text_signal add_text(const std::string& scope, const std::string& name, std::string_view initial = "");

  // Writes what is still held back and the end of the simulated time. Throws base::output_failed.
  void close();

  const std::filesystem::path& path() const { return file_.path(); }
  const vcd_options& options() const { return options_; }
  const signal_info& info(std::uint32_t index) const { return signals_.at(index).info; }
  // Simulated time as the file counts it.
  std::uint64_t to_units(const sc_core::sc_time& time) const { return time.value() / ticks_per_unit_; }

 private:
  friend class bit_signal;
  friend class unsigned_signal;
  friend class real_signal;
  friend class text_signal;

  struct traced {
    signal_info info;
    std::string code;       // the identifier in the file
    std::uint64_t mask;     // the bits a value may have
    std::uint64_t value;    // as the model set it last
    std::uint64_t written;  // as the file says
    bool touched = false;   // changed at the time being written
  };
  struct change {
    std::uint64_t time;  // in units of the file, as all times below
    std::uint64_t sequence;
    std::uint32_t index;
    std::uint64_t value;
    friend bool operator>(const change& a, const change& b) {
      return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
    }
  };

  std::uint32_t declare(signal_info info, std::uint64_t initial);
  // Values are the bits of a double, or the number of a word, for signals of these kinds.
  void record(std::uint32_t index, std::uint64_t value, const sc_core::sc_time& at);
  void record(std::uint32_t index, double value, const sc_core::sc_time& at);
  void record(std::uint32_t index, std::string_view value, const sc_core::sc_time& at);
  std::uint64_t word(std::string_view text);
  void write_header();
  void write_opening_values();
  void write_until(std::uint64_t time);
  void write_changes_at(std::uint64_t time);
  void write_time(std::uint64_t time);
  void write_value(traced& one);

  output_file file_;
  vcd_options options_;
  std::uint64_t ticks_per_unit_;
  std::uint64_t window_start_;
  std::uint64_t window_end_;
  std::vector<traced> signals_;
  std::priority_queue<change, std::vector<change>, std::greater<>> pending_;
  std::vector<std::uint32_t> touched_;
  std::map<std::string, std::uint64_t, std::less<>> word_numbers_;
  std::vector<const std::string*> words_;
  std::uint64_t sequence_ = 0;
  std::uint64_t written_until_ = 0;  // every change before it is in the file
  std::uint64_t last_time_ = 0;      // the last "#time"
  bool opened_ = false;              // header and opening values are written
};

inline void bit_signal::set(bool value, const sc_core::sc_time& at) const {
  if (writer_ != nullptr) writer_->record(index_, value ? std::uint64_t{1} : std::uint64_t{0}, at);
}

inline void unsigned_signal::set(std::uint64_t value, const sc_core::sc_time& at) const {
  if (writer_ != nullptr) writer_->record(index_, value, at);
}

inline void real_signal::set(double value, const sc_core::sc_time& at) const {
  if (writer_ != nullptr) writer_->record(index_, value, at);
}

inline void text_signal::set(std::string_view value, const sc_core::sc_time& at) const {
  if (writer_ != nullptr) writer_->record(index_, value, at);
}

}  // namespace scribeline::trace
