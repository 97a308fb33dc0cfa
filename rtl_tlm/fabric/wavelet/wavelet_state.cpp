#include "rtl_tlm/fabric/wavelet/wavelet_state.h"

#include <algorithm>

namespace scribeline::fabric {
namespace {

bool sends_control(const program& p) {
  for (const task& t : p.tasks)
    for (const instruction& i : t.body) {
      if (std::holds_alternative<send_control>(i)) return true;
      if (const auto* v = std::get_if<vector_op>(&i); v != nullptr && v->closing_control) return true;
    }
  return false;
}

// Whether some operation has all its operands in SRAM.
bool works_in_sram(const program& p) {
  for (const task& t : p.tasks)
    for (const instruction& i : t.body)
      if (const auto* v = std::get_if<vector_op>(&i);
          v != nullptr && !v->a.is_fabric() && !v->b.is_fabric() && !v->dst.is_fabric())
        return true;
  return false;
}

// From the start of an operation until its first word can leave a router. Control words of the main thread take no
// set-up.
std::uint32_t cycles_to_first_word(const program& p, const fabric_chip& chip) {
  bool sets_up = true;
  for (const task& t : p.tasks)
    for (const instruction& i : t.body)
      sets_up &= !std::holds_alternative<send_control>(i);
  const std::int64_t ramp = chip.core.execute_cycles + chip.ramp_send_cycles;
  return static_cast<std::uint32_t>(ramp + (sets_up ? chip.core.vector_setup_cycles : 0));
}

void start_cores(wavelet_state& s) {
  const std::size_t count = s.layout.thread_base.size();
  s.routers.resize(count);
  s.cores.resize(count);
  s.tasks.resize(count);
  for (std::uint32_t core = 0; core < count; ++core) {
    const coordinate at = s.place_of(core);
    if (at.column >= s.layout.columns) continue;
    core_state& c = s.cores[core];
    c.image = s.layout.classes.index_of(at);
    c.first_thread = s.layout.thread_base[core];
    const class_image& image = s.layout.images[c.image];
    s.routers[core].base = s.layout.queue_base[core];
    s.routers[core].first_rivals = image.first_rivals;
    s.tasks[core].active = image.active_at_start;
    s.tasks[core].blocked = image.blocked_at_start;
    if ((image.active_at_start & ~image.blocked_at_start) != 0) {
      c.flags |= core_state::runnable;
      s.core_wheel.set(core, 0);
    }
    if (image.has_data_tasks) c.flags |= core_state::data_tasks;
  }
}

void start_edges(wavelet_state& s) {
  for (const edge_input& e : s.code.edge_inputs)
    for (int j = 0; j < e.where.rows; ++j)
      for (int i = 0; i < e.where.columns; ++i) {
        const coordinate at{e.where.first.column + i * e.where.column_step, e.where.first.row + j * e.where.row_step};
        edge_source source;
        source.core = s.layout.core_of(at);
        source.side = e.side;
        source.color = e.color;
        const auto slot = static_cast<std::uint32_t>(
            s.layout.image_of(at)
                .router_slot[static_cast<std::size_t>(e.color)][static_cast<std::size_t>(index(e.side))]);
        source.queue = s.layout.merged_into[s.layout.queue_base[source.core] + slot];
        source.remaining = std::max<std::int64_t>(0, e.words.at(at));
        source.period = e.period_cycles;
        const std::int64_t first_push = e.first_cycle - s.chip.hop_cycles;
        source.next_cycle = static_cast<std::uint64_t>(std::max<std::int64_t>(0, first_push));
        if (source.remaining > 0) s.colors.sender_begins(static_cast<unsigned>(source.color));
        s.sources.push_back(std::move(source));
        s.cores[s.sources.back().core].flags |= core_state::edge_sources;
        s.core_wheel.set(s.sources.back().core, 0);
      }
  std::stable_sort(s.sources.begin(), s.sources.end(),
                   [](const edge_source& x, const edge_source& y) { return x.core < y.core; });
}

}  // namespace

wavelet_state::wavelet_state(const program& p, const fabric_chip& c, const run_options& o)
    : code(p),
      chip(c),
      options(o),
      layout(code, chip, o.merge_wires, o.lengths.get()),
      plan(layout),
      stores_words(o.values || sends_control(p)),
      needs_operands(o.values || o.bank_conflicts),
      queues(layout.queues),
      slot_times(layout.ring_slots),
      slot_words(stores_words ? layout.ring_slots : 0),
      threads(layout.threads),
      operands(needs_operands || works_in_sram(p) ? layout.threads : 0),
      sinks(layout.sinks.size()),
      router_wheel(layout.pitch, static_cast<std::size_t>(p.rows)),
      core_wheel(layout.pitch, static_cast<std::size_t>(p.rows)) {
  quiet_cycles = cycles_to_first_word(code, chip);
  start_cores(*this);
  if (o.values) sram = std::make_unique<sram_pages>(cores.size(), c.sram_bytes);
  start_edges(*this);
}

}  // namespace scribeline::fabric
