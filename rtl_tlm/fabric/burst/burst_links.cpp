// How many words went over the links of a burst run: counted for whole pipes when streams are announced, and taken back
// at the end for words that never came so far.
#include <algorithm>

#include "rtl_tlm/fabric/burst/burst_streams.h"
#include "rtl_tlm/fabric/burst/burst_waits.h"

namespace scribeline::fabric {
namespace {

std::uint32_t whole(burst_words words) {
  return words > 0 ? static_cast<std::uint32_t>((words + one_word / 2) / one_word) : 0;
}

// Calls visit(core that sends, side) for the links of a pipe, from its end at a core backwards: what
// lies inside receives a color from one side only. Links from outside are none.
template <class Visit>
void for_links(const burst_layout& layout, std::uint32_t core, std::uint8_t side, std::uint8_t color,
               std::uint32_t hops, Visit&& visit) {
  coordinate at = layout.place_of(core);
  for (; hops > 0; --hops) {
    if (side >= link_ports) {
      const port_set receive = layout.class_of(at).rules[color].r->positions.front().receive;
      side = static_cast<std::uint8_t>(__builtin_ctz(receive.bits()));
    }
    const coordinate from = neighbour(at, static_cast<port>(side));
    if (!layout.inside(from)) return;
    visit(from, opposite(static_cast<port>(side)));
    at = from;
    side = burst_queue::inbox_side;
  }
}

}  // namespace

std::uint32_t& burst_streams::words_of_link(coordinate from, port side) {
  return s_.link_words[s_.layout.core_of(from) * link_ports + static_cast<unsigned>(index(side))];
}

void burst_streams::count_links(std::uint32_t core, std::uint8_t side, std::uint8_t color, std::uint32_t hops,
                                std::uint32_t words) {
  for_links(s_.layout, core, side, color, hops,
            [&](coordinate from, port through) { words_of_link(from, through) += words; });
}

// Words that their feeder never sent are on no link of the pipe. Those that stand in it fill its queues from the end,
// and have come as far as these hold them.
void burst_streams::take_back(std::uint32_t number, const burst_queue& q) {
  const std::uint32_t stuck = whole(stuck_words(q));
  if (stuck == 0) return;
  const std::uint32_t unsent = std::min(stuck, whole(feed_of(number, q, never).words));
  const std::uint32_t inside = stuck - unsent;
  const std::uint32_t core = s_.core_of_queue(number);
  std::uint32_t held = q.is_inbox() ? s_.class_of(core).input_words[q.color] : 0;
  for_links(s_.layout, core, q.side, q.color, q.hops, [&](coordinate from, port through) {
    const int hops = s_.layout.lengths ? s_.layout.lengths->hops(from, through) : 1;
    held += static_cast<std::uint32_t>(link_words_) + static_cast<std::uint32_t>(hops - 1) * hop_;
    words_of_link(from, through) -= unsent + (inside > held ? inside - held : 0);
  });
}

void burst_streams::take_back_unsent() {
  for (std::uint32_t core = 0; core < s_.cores; ++core)
    s_.for_queues(core, [&](std::uint32_t number, const burst_queue& q) { take_back(number, q); });
  for (const burst_sink& sink : s_.sinks) {
    if (sink.rate != 0) continue;
    for_links(s_.layout, sink.core, burst_queue::inbox_side, static_cast<std::uint8_t>(sink.color), sink.hops,
              [&](coordinate from, port through) { words_of_link(from, through) -= whole(sink.left); });
  }
}

}  // namespace scribeline::fabric
