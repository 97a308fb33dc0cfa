#include "rtl_tlm/fabric/burst/burst_state.h"

#include <algorithm>
#include <tuple>

namespace scribeline::fabric {
namespace {

// Nothing is in it, on its way to it or about to read it. One that was opened in this cycle is about to get words.
bool is_over(const burst_queue& q, burst_time now) {
  if (!q.is_used()) return true;
  if (q.t == now || q.on_way != 0 || (q.flags & burst_queue::has_hold) != 0) return false;
  if (q.is_inbox() && q.child != no_index) return false;
  return q.left_at(now) == 0 && q.to_arrive <= moved(q.arriving, since(q.t, now));
}

template <class Visit>
void for_cores(const region& where, Visit&& visit) {
  for (int j = 0; j < where.rows; ++j)
    for (int i = 0; i < where.columns; ++i)
      visit(coordinate{where.first.column + i * where.column_step, where.first.row + j * where.row_step});
}

// Timestamps that a program takes when every core runs every task once.
std::size_t expected_timestamps(const program& p) {
  std::int64_t count = 0;
  for (const task& t : p.tasks)
    for (const instruction& i : t.body)
      count += std::holds_alternative<timestamp>(i) ? t.where.size() : 0;
  return static_cast<std::size_t>(count);
}

}  // namespace

burst_state::burst_state(const program& p, const fabric_chip& c, const run_options& o)
    : code(p),
      chip(c),
      options(o),
      layout(code, chip, options.lengths),
      cores(static_cast<std::uint32_t>(p.cores())),
      inline_queues(2 * cores),
      blocks(cores),
      positions(static_cast<std::size_t>(cores) * static_cast<std::size_t>(layout.switched_colors), 0) {
  if (options.link_loads) link_words.resize(static_cast<std::size_t>(cores) * link_ports, 0);
  timestamps.reserve(expected_timestamps(code));
  for (const edge_input& e : code.edge_inputs)
    for_cores(e.where, [&](coordinate at) {
      burst_source source;
      source.where = at;
      source.side = e.side;
      source.color = e.color;
      source.words = std::max<std::int64_t>(0, e.words.at(at));
      source.period = e.period_cycles;
      source.next = static_cast<burst_time>(std::max<std::int64_t>(0, e.first_cycle - c.hop_cycles));
      sources.push_back(source);
    });
  for (const edge_output& e : code.edge_outputs)
    for_cores(e.where, [&](coordinate at) {
      burst_sink sink;
      sink.core = layout.core_of(at);
      sink.side = e.side;
      sink.color = e.color;
      sinks.push_back(sink);
    });
  std::sort(sinks.begin(), sinks.end(), [](const burst_sink& x, const burst_sink& y) {
    return std::tuple(x.core, index(x.side), x.color) < std::tuple(y.core, index(y.side), y.color);
  });
}

std::uint32_t burst_state::find_in_extensions(std::uint32_t core, color_id color, std::uint8_t side) const {
  for (std::uint32_t e = blocks[core].extension; e != no_index; e = extensions[e].next)
    for (std::uint32_t i = 0; i < 2; ++i)
      if (extensions[e].queues[i].is(color, side)) return inline_queues + e * 2 + i;
  return no_index;
}

std::uint32_t burst_state::make_queue(std::uint32_t core, color_id color, std::uint8_t side, burst_time now) {
  const burst_block& block = blocks[core];
  std::uint32_t number = core * 2;
  if (!is_over(block.queues[0], now)) {
    ++number;
    if (!is_over(block.queues[1], now)) number = free_in_extensions(core, now);
  }
  burst_queue& q = queue(number);
  q = {};
  q.t = now;
  q.color = static_cast<std::uint8_t>(color) & 0x1fu;
  q.side = side & 0x7u;
  return number;
}

std::uint32_t burst_state::free_in_extensions(std::uint32_t core, burst_time now) {
  for (std::uint32_t e = blocks[core].extension; e != no_index; e = extensions[e].next)
    for (std::uint32_t i = 0; i < 2; ++i)
      if (is_over(extensions[e].queues[i], now)) return inline_queues + e * 2 + i;
  return inline_queues + 2 * append_extension(core);
}

std::uint32_t burst_state::find_thread(std::uint32_t core, int slot) {
  std::uint32_t found = no_index;
  for_threads(core, [&](std::uint32_t i, const burst_thread& thread) {
    if (thread.state != burst_thread_state::unused && thread.slot == slot) found = i;
  });
  return found;
}

std::uint32_t burst_state::need_thread(std::uint32_t core) {
  std::uint32_t found = no_index;
  for_threads(core, [&](std::uint32_t i, const burst_thread& thread) {
    if (found == no_index && thread.state == burst_thread_state::unused) found = i;
  });
  return found != no_index ? found : cores + append_extension(core);
}

std::uint32_t burst_state::append_extension(std::uint32_t core) {
  const std::uint32_t fresh = extensions.append();
  extensions[fresh].core = core;
  std::uint32_t* link = &blocks[core].extension;
  while (*link != no_index)
    link = &extensions[*link].next;
  *link = fresh;
  return fresh;
}

burst_hold* burst_state::find_hold(std::uint32_t number) {
  if ((queue(number).flags & burst_queue::has_hold) == 0) return nullptr;
  const std::uint32_t core = core_of_queue(number);
  for (std::uint32_t h = extensions[blocks[core].extension].holds; h != no_index; h = holds[h].next)
    if (holds[h].queue == number) return &holds[h];
  return nullptr;
}

burst_hold& burst_state::need_hold(std::uint32_t number) {
  if (burst_hold* hold = find_hold(number)) return *hold;
  const std::uint32_t core = core_of_queue(number);
  if (blocks[core].extension == no_index) append_extension(core);
  burst_extension& first = extensions[blocks[core].extension];
  std::uint32_t fresh = no_index;
  for (std::uint32_t h = first.holds; h != no_index; h = holds[h].next)
    if (holds[h].queue == no_index) fresh = h;
  if (fresh == no_index) {
    fresh = holds.append();
    holds[fresh].next = first.holds;
    first.holds = fresh;
  }
  burst_hold& hold = holds[fresh];
  hold.queue = number;
  hold.words = 0;
  hold.first_mark = no_index;
  hold.free_at = 0;
  queue(number).flags |= burst_queue::has_hold;
  return hold;
}

std::size_t burst_state::memory_bytes() const {
  const auto bytes = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  return bytes(blocks) + extensions.memory_bytes() + holds.memory_bytes() + marks.memory_bytes() + bytes(positions) +
         bytes(sources) + bytes(sinks) + bytes(link_words) + calendar.memory_bytes();
}

}  // namespace scribeline::fabric
