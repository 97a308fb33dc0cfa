#include "rtl_tlm/fabric/wavelet/wavelet_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "rtl_tlm/fabric/wavelet/wire_merge.h"

namespace scribeline::fabric {
namespace {

word_queue make_queue(color_id color, queue_side side, std::int64_t capacity, std::int64_t latency) {
  if (capacity < 1 || capacity > 0xff || latency < 1 || latency > 0xff)
    throw std::invalid_argument(
        fmt::format("a queue of {} words and {} cycles of latency; both are 1..255", capacity, latency));
  word_queue q;
  q.color = static_cast<std::uint8_t>(color & 0x3f);
  q.side = side;
  q.capacity = static_cast<std::uint16_t>(capacity);
  q.latency = static_cast<std::uint16_t>(latency);
  q.delay = 1;
  return q;
}

std::int8_t append(class_image& image, const word_queue& q) {
  image.queues.push_back(q);
  image.queues.back().slot = static_cast<std::uint8_t>((image.queues.size() - 1) & 0x7f);
  return static_cast<std::int8_t>(image.queues.size() - 1);
}

// The output queue id that feeds a color here, or -1.
int output_of(const program& p, const core_class& c, color_id color) {
  for (const std::uint32_t n : c.outputs)
    if (p.outputs[n].color == color) return p.outputs[n].queue;
  return -1;
}

void add_router_queues(class_image& image, const program& p, const fabric_chip& chip, const core_class& c) {
  for (int color = 0; color < chip.colors; ++color) {
    const std::int32_t number = image.route_of_color[static_cast<std::size_t>(color)];
    if (number < 0) continue;
    const route& r = p.routes[static_cast<std::size_t>(number)];
    for (int side = 0; side < ports; ++side) {
      if (!r.ever_receives(static_cast<port>(side))) continue;
      const bool from_core = static_cast<port>(side) == port::ramp;
      const int output = output_of(p, c, r.color);
      const std::int64_t latency = from_core ? chip.core.execute_cycles + chip.ramp_send_cycles : chip.hop_cycles;
      const std::int64_t words = !from_core
                                     ? chip.router_queue_words + chip.hop_cycles
                                     : chip.ramp_send_register_words +
                                           (output < 0 ? 1 : chip.output_queue_words[static_cast<std::size_t>(output)]);
      image.router_slot[static_cast<std::size_t>(color)][static_cast<std::size_t>(side)] =
          append(image, make_queue(r.color, static_cast<queue_side>(side), words, latency));
    }
  }
  image.router_queues = static_cast<int>(image.queues.size());
  if (image.router_queues > max_router_queues)
    throw std::invalid_argument(fmt::format("{}: {} router queues (colors times receive sides), at most {}",
                                            to_string(c.example), image.router_queues, max_router_queues));
}

// The sides that a route leaves through in any position, as bits.
unsigned sides_of(const route& r) {
  unsigned sides = 0;
  for (const route_position& position : r.positions)
    sides |= position.transmit.bits();
  return sides;
}

// Words of merging routes must meet when they do, so nothing there may run ahead: everybody is a rival, even to
// himself.
std::vector<slot_rivals> find_rivals(class_image& image, const program& p) {
  std::vector<slot_rivals> rivals(static_cast<std::size_t>(image.router_queues));
  const auto route_of = [&](const word_queue& q) -> const route& {
    return p.routes[static_cast<std::size_t>(image.route_of_color[q.color])];
  };
  for (std::size_t slot = 0; slot < rivals.size(); ++slot) {
    word_queue& q = image.queues[slot];
    for (std::size_t i = 0; i < rivals.size(); ++i) {
      const word_queue& other = image.queues[i];
      const bool meets = other.color != q.color && (sides_of(route_of(q)) & sides_of(route_of(other))) != 0;
      if (!meets && !p.merging_routes) continue;
      rivals[slot].slots |= 1u << i;
      rivals[slot].colors |= 1u << other.color;
    }
    q.is_switched = route_of(q).positions.size() > 1 ? 1 : 0;
  }
  return rivals;
}

void add_core_queues(class_image& image, const program& p, const fabric_chip& chip, const core_class& c) {
  for (const std::uint32_t n : c.inputs) {
    const queue_binding& b = p.inputs[n];
    const int words = chip.input_queue_words[b.queue] + chip.ramp_receive_register_words;
    const std::int8_t slot =
        append(image, make_queue(b.color, queue_side::core_input, words, chip.ramp_receive_cycles));
    image.color_of_input[b.queue] = static_cast<std::int8_t>(b.color);
    image.input_slot_of_color[b.color] = slot;
  }
  for (const std::uint32_t n : c.outputs)
    image.color_of_output[p.outputs[n].queue] = static_cast<std::int8_t>(p.outputs[n].color);
}

void add_tasks(class_image& image, const program& p, const core_class& c) {
  for (const std::uint32_t n : c.tasks) {
    const task& t = p.tasks[n];
    class_task entry{t.id, n, -1};
    if (t.trigger) {
      entry.trigger_slot = static_cast<std::int8_t>(image.input_slot(*t.trigger, -1));
      image.has_data_tasks = true;
    }
    if (t.active_at_start) image.active_at_start |= std::uint64_t{1} << t.id;
    if (t.blocked_at_start) image.blocked_at_start |= std::uint64_t{1} << t.id;
    image.tasks.push_back(entry);
    for (const instruction& i : t.body)
      if (const auto* v = std::get_if<vector_op>(&i); v != nullptr && v->thread && image.thread_slot[*v->thread] < 0)
        image.thread_slot[*v->thread] = static_cast<std::int8_t>(image.threads++);
  }
  std::sort(image.tasks.begin(), image.tasks.end(), [&](const class_task& x, const class_task& y) {
    return is_picked_before(p.tasks[x.index], p.tasks[y.index]);
  });
}

}  // namespace

wavelet_layout::wavelet_layout(const program& p, const fabric_chip& chip, bool merging_wires,
                               const link_lengths* lengths)
    : classes(p), columns(p.columns), rows(p.rows), pitch((static_cast<std::size_t>(p.columns) + 63) / 64 * 64) {
  build_images(p, chip);
  place_queues();
  if (lengths != nullptr) stretch_links(chip, *lengths);
  connect_all(p);
  find_writers();
  if (merging_wires && !p.merging_routes) {
    merge_wires(*this, p, chip);
    redirect_merged();
  }
  place_rings();
}

void wavelet_layout::build_images(const program& p, const fabric_chip& chip) {
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const core_class& c = classes[i];
    class_image image;
    for (auto& slots : image.router_slot)
      slots.fill(-1);
    image.input_slot_of_color.fill(-1);
    image.color_of_input.fill(-1);
    image.color_of_output.fill(-1);
    image.route_of_color.fill(-1);
    image.thread_slot.fill(-1);
    for (const std::uint32_t n : c.routes)
      image.route_of_color[p.routes[n].color] = static_cast<std::int32_t>(n);
    add_router_queues(image, p, chip, c);
    const std::vector<slot_rivals> found = find_rivals(image, p);
    image.first_rivals = static_cast<std::uint32_t>(rivals.size());
    rivals.insert(rivals.end(), found.begin(), found.end());
    add_core_queues(image, p, chip, c);
    add_tasks(image, p, c);
    images.push_back(std::move(image));
  }
}

void wavelet_layout::place_queues() {
  const std::size_t cores = pitch * static_cast<std::size_t>(rows);
  queue_base.reserve(cores + 1);
  thread_base.reserve(cores);
  std::uint64_t total = 0;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < static_cast<int>(pitch); ++column) {
      queue_base.push_back(static_cast<std::uint32_t>(total));
      thread_base.push_back(threads);
      if (column >= columns) continue;
      const class_image& image = image_of({column, row});
      total += image.queues.size();
      threads += static_cast<std::uint32_t>(image.threads);
    }
  queue_base.push_back(static_cast<std::uint32_t>(total));
  if (total >= word_queue::multicast) throw std::invalid_argument("the program needs more than 2^31 queues");
  queues.reserve(total);
  merged_into.reserve(total);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      for (word_queue q : image_of({column, row}).queues) {
        q.reader = core_of({column, row});
        merged_into.push_back(static_cast<std::uint32_t>(queues.size()));
        queues.push_back(q);
      }
}

// A link of several hops carries a word per cycle, too: it holds one for each of its cycles.
void wavelet_layout::stretch_links(const fabric_chip& chip, const link_lengths& lengths) {
  require_size(lengths, columns, rows);
  for (word_queue& q : queues) {
    if (q.side == queue_side::core_input || q.side == queue_side::ramp) continue;
    const int hops = lengths.hops(place_of(q.reader), static_cast<port>(q.side));
    const auto longer = static_cast<std::uint16_t>((hops - 1) * static_cast<int>(chip.hop_cycles));
    q.latency = static_cast<std::uint16_t>(q.latency + longer);
    q.capacity = static_cast<std::uint16_t>(q.capacity + longer);
  }
}

void wavelet_layout::find_writers() {
  writers.reserve(queues.size());
  for (const word_queue& q : queues) {
    const coordinate at = place_of(q.reader);
    if (q.side == queue_side::core_input || q.side == queue_side::ramp) {
      writers.push_back(core_of(at) | (q.side == queue_side::ramp ? written_by_core : 0));
      continue;
    }
    const coordinate from = neighbour(at, static_cast<port>(q.side));
    const bool outside = from.column < 0 || from.row < 0 || from.column >= columns || from.row >= rows;
    writers.push_back(outside ? core_of(at) | written_by_core : core_of(from));
  }
}

void wavelet_layout::redirect_merged() {
  for (word_queue& q : queues)
    if (q.next != no_queue && (q.next & word_queue::multicast) == 0) q.next = merged_into[q.next];
  for (std::uint32_t& branch : branches)
    if ((branch & sink_branch) == 0) branch = merged_into[branch];
  for (auto& positions : exits)
    for (queue_exit& exit : positions)
      if (exit.next != no_queue && (exit.next & word_queue::multicast) == 0) exit.next = merged_into[exit.next];
}

void wavelet_layout::place_rings() {
  std::uint64_t slots = 0;
  for (std::uint32_t number = 0; number < queues.size(); ++number) {
    if (merged_into[number] != number) continue;
    queues[number].ring = static_cast<std::uint32_t>(slots);
    slots += static_cast<std::uint64_t>(queues[number].slots());
  }
  if (slots > std::numeric_limits<std::uint32_t>::max())
    throw std::invalid_argument("the queues of the program hold more than 2^32 words");
  ring_slots = static_cast<std::uint32_t>(slots);
}

std::uint32_t wavelet_layout::branch_target(const program& p, coordinate at, color_id color, port side) {
  if (side == port::ramp)
    return queue_base[core_of(at)] + static_cast<std::uint32_t>(image_of(at).input_slot_of_color[color]);
  const coordinate to = neighbour(at, side);
  if (to.column < 0 || to.row < 0 || to.column >= p.columns || to.row >= p.rows) {
    for (std::size_t i = sinks.size(); i-- > 0 && sinks[i].core == core_of(at);)
      if (sinks[i].side == side && sinks[i].color == color) return sink_branch | static_cast<std::uint32_t>(i);
    sinks.push_back({core_of(at), side, color});
    return sink_branch | static_cast<std::uint32_t>(sinks.size() - 1);
  }
  const int slot = image_of(to).router_slot[color][static_cast<std::size_t>(index(opposite(side)))];
  return queue_base[core_of(to)] + static_cast<std::uint32_t>(slot);
}

queue_exit wavelet_layout::exit_of(const program& p, coordinate at, const route& r, int position, queue_side side) {
  const route_position& now = r.positions[static_cast<std::size_t>(position)];
  if (!now.receive.contains(static_cast<port>(side))) return {};
  std::array<std::uint32_t, ports> targets{};
  std::size_t count = 0;
  for (int i = 0; i < ports; ++i)
    if (now.transmit.contains(static_cast<port>(i)))
      targets[count++] = branch_target(p, at, r.color, static_cast<port>(i));
  if (count == 1 && (targets[0] & sink_branch) == 0) return {targets[0], now.transmit.bits()};
  const auto first = static_cast<std::uint32_t>(branches.size());
  branches.insert(branches.end(), targets.begin(), targets.begin() + static_cast<std::ptrdiff_t>(count));
  return {word_queue::multicast | first, now.transmit.bits()};
}

bool wavelet_layout::leaves_fabric(const program& p, coordinate at, const route& r) {
  for (int side = 0; side < link_ports; ++side) {
    const coordinate to = neighbour(at, static_cast<port>(side));
    const bool outside = to.column < 0 || to.row < 0 || to.column >= p.columns || to.row >= p.rows;
    if (outside && r.ever_transmits(static_cast<port>(side))) return true;
  }
  return false;
}

void wavelet_layout::connect_all(const program& p) {
  const bool switched =
      std::any_of(p.routes.begin(), p.routes.end(), [](const route& r) { return r.positions.size() > 1; });
  if (switched) {
    switch_of_queue.assign(queues.size(), no_queue);
    position_of_queue.assign(queues.size(), 0);
    served_from.assign(queues.size(), 0);
  }
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      const coordinate at{column, row};
      const class_image& image = image_of(at);
      for (int slot = 0; slot < image.router_queues; ++slot) {
        const std::uint32_t number = queue_base[core_of(at)] + static_cast<std::uint32_t>(slot);
        word_queue& q = queues[number];
        const route& r = p.routes[static_cast<std::size_t>(image.route_of_color[q.color])];
        const queue_exit now = exit_of(p, at, r, 0, q.side);
        q.next = now.next;
        q.transmit = now.transmit;
        q.leaves_fabric = leaves_fabric(p, at, r) ? 1 : 0;
        if (r.positions.size() == 1) continue;
        switch_of_queue[number] = static_cast<std::uint32_t>(exits.size());
        exits.emplace_back();
        exits.back()[0] = now;
        for (int position = 1; position < static_cast<int>(r.positions.size()); ++position)
          exits.back()[static_cast<std::size_t>(position)] = exit_of(p, at, r, position, q.side);
      }
    }
}

}  // namespace scribeline::fabric
