#include "rtl_tlm/fabric/wavelet/wire_merge.h"

#include <array>

namespace scribeline::fabric {
namespace {

std::array<bool, max_colors> colors_with_control(const program& p) {
  std::array<bool, max_colors> found{};
  const auto mark = [&](queue_id queue) {
    for (const queue_binding& b : p.outputs)
      if (b.queue == queue) found[static_cast<std::size_t>(b.color)] = true;
  };
  for (const task& t : p.tasks)
    for (const instruction& i : t.body) {
      if (const auto* send = std::get_if<send_control>(&i)) mark(send->queue);
      if (const auto* v = std::get_if<vector_op>(&i); v != nullptr && v->closing_control) mark(v->dst.queue);
    }
  return found;
}

bool covers_round_trip(const word_queue& q) {
  return q.capacity >= q.latency + q.delay;
}

// Joins a stage to the queue behind it. False when the result would not be exact or too large.
bool join(const word_queue& stage, word_queue& behind, int microthread_wake) {
  if (!covers_round_trip(stage) || !covers_round_trip(behind) || behind.pace_words != 0) return false;
  if (stage.capacity + behind.capacity > word_queue::max_capacity) return false;
  const int round_trip = stage.latency + stage.delay + microthread_wake;
  const bool paced = stage.side == queue_side::ramp && stage.capacity < round_trip;
  if (paced && (stage.latency + behind.latency < round_trip || stage.capacity > 0xff || round_trip > 0xff))
    return false;
  behind.capacity = static_cast<std::uint16_t>(behind.capacity + stage.capacity);
  behind.latency = static_cast<std::uint16_t>(behind.latency + stage.latency);
  behind.delay = static_cast<std::uint16_t>(behind.delay + stage.delay);
  if (paced) {
    behind.pace_words = static_cast<std::uint8_t>(stage.capacity);
    behind.pace_cycles = static_cast<std::uint8_t>(round_trip);
  }
  return true;
}

}  // namespace

void merge_wires(wavelet_layout& layout, const program& p, const fabric_chip& chip) {
  const std::array<bool, max_colors> controlled = colors_with_control(p);
  const auto can_pass = [&](std::uint32_t number) {
    const word_queue& q = layout.queues[number];
    return q.side != queue_side::core_input && (q.next & word_queue::multicast) == 0 && layout.has_own_sides(number) &&
           !controlled[q.color];
  };
  // From any queue to the end of its wire, then joined from the end backwards.
  std::vector<bool> done(layout.queues.size(), false);
  std::vector<std::uint32_t> stages;
  const int wake = static_cast<int>(chip.core.microthread_wake_cycles);
  for (std::uint32_t start = 0; start < layout.queues.size(); ++start) {
    std::uint32_t at = start;
    stages.clear();
    while (!done[at] && can_pass(at)) {
      done[at] = true;  // also ends the walk around a circle of routes
      stages.push_back(at);
      at = layout.queues[at].next;
    }
    done[at] = true;
    std::uint32_t end = layout.merged_into[at];
    for (std::size_t i = stages.size(); i-- > 0;) {
      const std::uint32_t stage = stages[i];
      if (stage != end && join(layout.queues[stage], layout.queues[end], wake)) {
        layout.merged_into[stage] = end;
        layout.writers[end] = layout.writers[stage];
      }
      end = layout.merged_into[stage];
    }
  }
}

}  // namespace scribeline::fabric
