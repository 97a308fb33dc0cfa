// Numbers of the burst engine: times, amounts of words and rates, as integers so that every machine gets the same.
#pragma once

#include <cstdint>
#include <limits>

namespace scribeline::fabric {

using burst_time = std::uint32_t;  // cycles

// Words in 1/256. A stream of a constant rate is counted by the words that have started: word k (from 0) moves in the
// cycle in which the count reaches k.
using burst_words = std::int32_t;
inline constexpr burst_words one_word = 256;
inline constexpr std::int64_t max_burst_words = std::numeric_limits<std::int32_t>::max() / (2 * one_word);

// Words per cycle in 1/32768.
using burst_rate = std::uint16_t;
inline constexpr burst_rate full_rate = 32768;
inline constexpr burst_rate no_limit = 0xffff;

// Words that move at a rate in some cycles, rounded down.
constexpr burst_words moved(burst_rate rate, burst_time cycles) {
  const std::uint64_t words = std::uint64_t{rate} * cycles >> 7;
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  return static_cast<burst_words>(words < most ? words : most);
}

inline constexpr burst_time never = 0x7fffffff;

// Cycles since t; 0 when it is still to come.
constexpr burst_time since(burst_time t, burst_time now) {
  return now > t ? now - t : 0;
}

// Cycles until some words have moved at a rate, rounded down; `never` at rate 0.
constexpr burst_time cycles_to_move(burst_words words, burst_rate rate) {
  if (words <= 0) return 0;
  if (rate == full_rate) return static_cast<burst_time>(words / one_word);  // often, and divisions take their time
  if (rate == 0) return never;
  const std::uint64_t cycles = (std::uint64_t{static_cast<std::uint32_t>(words)} << 7) / rate;
  return cycles < never ? static_cast<burst_time>(cycles) : never;
}

// The same rounded up.
constexpr burst_time cycles_to_finish(burst_words words, burst_rate rate) {
  if (words <= 0) return 0;
  if (rate == full_rate) return static_cast<burst_time>((words + one_word - 1) / one_word);
  if (rate == 0) return never;
  const std::uint64_t cycles = ((std::uint64_t{static_cast<std::uint32_t>(words)} << 7) + rate - 1u) / rate;
  return cycles < never ? static_cast<burst_time>(cycles) : never;
}

// num / den words per cycle, at most one; rounded down, so that streams are never early.
constexpr burst_rate rate_of(std::int64_t num, std::int64_t den) {
  return num >= den ? full_rate : static_cast<burst_rate>(num * full_rate / den);
}

}  // namespace scribeline::fabric
