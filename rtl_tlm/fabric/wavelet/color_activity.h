// Which colors may have words anywhere, so that routers know who cannot come in their way soon.
//
// A color is quiet when no operation sends on it, no edge feeds it and no queue holds a word of it. Words of a quiet
// color need a new operation first, whose set-up and send ramp take a few cycles: for that long a router may run ahead
// of the clock with a stream that only quiet colors could disturb.
//
// Colors are counted over the whole program: rows may be at different cycles (see sweep_plan.h), but what is
// counted is a state in which nothing is lost, whatever their order.
#pragma once

#include <array>
#include <cstdint>

namespace scribeline::fabric {

class color_activity {
 public:
  // An operation, or an edge, that will send.
  void sender_begins(unsigned color) {
    ++count_[color];
    busy_ |= 1u << color;
  }
  void sender_ends(unsigned color) { --count_[color]; }
  // Words come into being (operations, edges, further branches of a multicast), and are taken by cores and edges.
  void add_words(unsigned color, std::int64_t n) { count_[color] += n; }
  void remove_words(unsigned color, std::int64_t n) { count_[color] -= n; }

  // By color; a color that became quiet may still be in it until forget_quiet.
  std::uint32_t busy() const { return busy_; }
  void forget_quiet() {
    busy_ = 0;
    for (unsigned color = 0; color < count_.size(); ++color)
      if (count_[color] != 0) busy_ |= 1u << color;
  }

 private:
  std::array<std::int64_t, 32> count_{};  // by color: senders and words
  std::uint32_t busy_ = 0;
};

}  // namespace scribeline::fabric
