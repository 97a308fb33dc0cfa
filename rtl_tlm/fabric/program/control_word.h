// Control words: 32-bit words of a color that move switches on their way instead of carrying data.
//
// A control word holds up to eight commands. Every router that sends the word on takes the first command and pops it
// (or keeps it, when `pop` is off, so that all routers obey the same one); an empty list is all nops. The command
// acts on that router's route of the word's color, after the word has left. A core that a control word reaches does
// not see it as data: it activates a task there, or is dropped.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>

namespace scribeline::fabric {

enum class switch_command : std::uint8_t { nop = 0, advance = 1 };

class control_word {
 public:
  static constexpr int max_commands = 8;

  constexpr control_word() = default;

  // Commands for the first routers on the path; the first is the router of the sending core. More than eight throw
  // std::invalid_argument.
  static constexpr control_word for_path(std::initializer_list<switch_command> commands) {
    if (commands.size() > max_commands) throw std::invalid_argument("a control word holds at most eight commands");
    control_word word;
    int shift = 0;
    for (const switch_command command : commands) {
      word.bits_ |= static_cast<std::uint32_t>(command) << shift;
      shift += 2;
    }
    return word;
  }
  // Advances the sending core's own router only.
  static constexpr control_word advance_own_router() { return for_path({switch_command::advance}); }
  // The same word with one more command, for the router at place `i` of the path.
  constexpr control_word advancing(int i) const {
    if (i < 0 || i >= max_commands) throw std::invalid_argument("a control word holds at most eight commands");
    return from_bits(bits_ | static_cast<std::uint32_t>(switch_command::advance) << 2 * i);
  }
  // Advances every router on the path.
  static constexpr control_word advance_all_routers() {
    control_word word;
    word.bits_ = static_cast<std::uint32_t>(switch_command::advance) | keep_bit;
    return word;
  }
  // The same word, which also activates a local task at every core that it reaches.
  constexpr control_word activating(int task) const {
    control_word word = *this;
    word.bits_ = (word.bits_ & ~task_mask) | task_bit | static_cast<std::uint32_t>(task) << task_shift;
    return word;
  }

  // The word as it travels.
  static constexpr control_word from_bits(std::uint32_t bits) {
    control_word word;
    word.bits_ = bits;
    return word;
  }
  constexpr std::uint32_t bits() const { return bits_; }
  constexpr switch_command first_command() const { return command(0); }
  // Of the i-th router on the path, while the word has not been popped.
  constexpr switch_command command(int i) const { return static_cast<switch_command>(bits_ >> 2 * i & 3u); }
  constexpr bool pops() const { return (bits_ & keep_bit) == 0; }
  // What the next router receives.
  constexpr control_word popped() const {
    return pops() ? from_bits((bits_ & ~commands_mask) | (bits_ & commands_mask) >> 2) : *this;
  }
  constexpr std::optional<int> task() const {
    if ((bits_ & task_bit) == 0) return std::nullopt;
    return static_cast<int>((bits_ & task_mask) >> task_shift);
  }

 private:
  static constexpr std::uint32_t commands_mask = 0xffff;
  static constexpr int task_shift = 16;
  static constexpr std::uint32_t task_mask = 0xffu << task_shift;
  static constexpr std::uint32_t task_bit = 1u << 24;
  static constexpr std::uint32_t keep_bit = 1u << 25;

  std::uint32_t bits_ = 0;
};

}  // namespace scribeline::fabric
