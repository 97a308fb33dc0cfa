// Control words of a burst run, and words that wait behind them or for a switch.
#include <algorithm>

#include "rtl_tlm/fabric/burst/burst_streams.h"

namespace scribeline::fabric {
namespace {

constexpr burst_words rounding = one_word / 16;

}  // namespace

void burst_streams::hold_words(std::uint32_t number, std::uint32_t words) {
  s_.need_hold(number).words += static_cast<burst_words>(words) * one_word;
}

void burst_streams::add_mark(std::uint32_t number, std::uint32_t bits) {
  burst_hold& hold = s_.need_hold(number);
  std::uint32_t fresh = s_.free_mark;
  if (fresh == no_index)
    fresh = s_.marks.append();
  else
    s_.free_mark = s_.marks[fresh].next;
  s_.marks[fresh] = {no_index, hold.words, bits};
  hold.words += one_word;
  std::uint32_t* link = &hold.first_mark;
  while (*link != no_index)
    link = &s_.marks[*link].next;
  *link = fresh;
}

// Takes the first mark of a hold with its word, which must be at the head; its bits.
std::uint32_t burst_streams::take_mark(burst_hold& hold) {
  const std::uint32_t taken = hold.first_mark;
  const std::uint32_t bits = s_.marks[taken].bits;
  hold.first_mark = s_.marks[taken].next;
  hold.words -= one_word;
  for (std::uint32_t m = hold.first_mark; m != no_index; m = s_.marks[m].next)
    s_.marks[m].ahead -= one_word;
  s_.marks[taken].next = s_.free_mark;
  s_.free_mark = taken;
  return bits;
}

// Lets the words up to the first mark go; how many these are.
burst_words burst_streams::take_segment(burst_hold& hold) {
  const burst_words segment = hold.first_mark != no_index ? s_.marks[hold.first_mark].ahead : hold.words;
  hold.words -= segment;
  for (std::uint32_t m = hold.first_mark; m != no_index; m = s_.marks[m].next)
    s_.marks[m].ahead -= segment;
  return segment;
}

void burst_streams::drop_hold(std::uint32_t number, burst_hold& hold) {
  hold.queue = no_index;
  burst_queue& q = s_.queue(number);
  q.flags = static_cast<std::uint8_t>(q.flags & ~burst_queue::has_hold);
}

// --- nodes ---

// A node's held words move on as far as they may now.
void burst_streams::release(const burst_site& site, std::uint32_t number, burst_queue& q, burst_time now) {
  burst_hold* hold = s_.find_hold(number);
  if (hold == nullptr || hold->free_at > now) return;
  if (!is_served(site, q, site.image->rules[q.color]) || q.left > hold->words + rounding) {
    schedule(number, q, next_change(number, q, false, now), now);
    return;
  }
  q.left = hold->words;
  if (hold->first_mark != no_index && s_.marks[hold->first_mark].ahead <= 0) {
    pass_control(site, number, q, *hold, now);
    return;
  }
  const burst_words segment = take_segment(*hold);
  if (hold->words == 0) drop_hold(number, *hold);
  if (segment > 0) evaluate(site, number, q, {static_cast<std::uint32_t>(segment / one_word), true}, now);
}

void burst_streams::pass_control(const burst_site& site, std::uint32_t number, burst_queue& q, burst_hold& hold,
                                 burst_time now) {
  const burst_rule& rule = site.image->rules[q.color];
  const control_word word = control_word::from_bits(take_mark(hold));
  q.left -= one_word;
  target_list targets;
  fill_targets(site, position_of(site, rule).transmit, number, q, now, targets);
  for (const std::uint32_t target : targets)
    announce_control(target, word.popped().bits(), now);
  s_.act(now);
  hold.free_at = now + 1;
  if (word.first_command() == switch_command::advance && rule.r->positions.size() > 1)
    s_.calendar.add(now + 1, {site.core, q.color, 0, burst_event_kind::switched, false});
  else
    schedule(number, q, now + 1, now);
}

void burst_streams::move_switch(std::uint32_t core, color_id color, burst_time now) {
  const burst_site site = s_.site_of(core);
  const burst_rule& rule = site.image->rules[static_cast<std::size_t>(color)];
  std::uint8_t& position =
      s_.positions[core * static_cast<std::uint32_t>(s_.layout.switched_colors) + rule.switch_slot];
  if (position + 1u < rule.r->positions.size())
    ++position;
  else if (rule.r->ring)
    position = 0;
  std::array<std::uint32_t, ports> queues;
  std::size_t count = 0;
  s_.for_queues(core, [&](std::uint32_t number, burst_queue& q) {
    if (!q.is_node() || q.color != color) return;
    q.child = no_index;
    queues[count++] = number;
  });
  for (std::size_t i = 0; i < count; ++i)
    evaluate_node(queues[i], now);
}

// --- inboxes ---

void burst_streams::take_controls(std::uint32_t number, std::uint64_t& activated, burst_time now) {
  burst_queue& q = s_.queue(number);
  while (burst_hold* hold = s_.find_hold(number)) {
    if (q.left > hold->words + rounding) return;
    q.left = hold->words;
    if (hold->first_mark != no_index && s_.marks[hold->first_mark].ahead <= 0) {
      const control_word word = control_word::from_bits(take_mark(*hold));
      q.left -= one_word;
      s_.act(now);
      if (word.task()) activated |= std::uint64_t{1} << *word.task();
    } else {
      take_segment(*hold);
    }
    if (hold->words == 0) drop_hold(number, *hold);
  }
}

}  // namespace scribeline::fabric
