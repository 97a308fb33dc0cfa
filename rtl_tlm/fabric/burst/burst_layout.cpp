#include "rtl_tlm/fabric/burst/burst_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "rtl_tlm/fabric/wavelet/wavelet_step.h"

namespace scribeline::fabric {
namespace {

// How many routes of the class ever transmit through each side.
std::array<int, ports> users_of_sides(const program& p, const core_class& c) {
  std::array<int, ports> users{};
  for (const std::uint32_t n : c.routes)
    for (int side = 0; side < ports; ++side)
      users[static_cast<std::size_t>(side)] += p.routes[n].ever_transmits(static_cast<port>(side)) ? 1 : 0;
  return users;
}

burst_rule make_rule(const route& r, const std::array<int, ports>& users) {
  burst_rule rule;
  rule.r = &r;
  rule.own_sides = true;
  for (int side = 0; side < link_ports; ++side)
    if (r.ever_transmits(static_cast<port>(side)) && users[static_cast<std::size_t>(side)] > 1) rule.own_sides = false;
  const route_position& only = r.positions.front();
  rule.kind = burst_rule_kind::node;
  if (r.positions.size() > 1 || only.receive.size() > 1 || only.transmit.size() > 1 || !rule.own_sides) return rule;
  for (int side = 0; side < ports; ++side)
    if (only.transmit.contains(static_cast<port>(side))) rule.exit = static_cast<port>(side);
  rule.kind = rule.exit == port::ramp ? burst_rule_kind::deliver : burst_rule_kind::pass;
  return rule;
}

void add_routes(burst_class& image, const program& p, const core_class& c) {
  const std::array<int, ports> users = users_of_sides(p, c);
  for (const std::uint32_t n : c.routes)
    image.rules[static_cast<std::size_t>(p.routes[n].color)] = make_rule(p.routes[n], users);
}

void add_queues(burst_class& image, const program& p, const fabric_chip& chip, const core_class& c) {
  image.input_color.fill(-1);
  image.output_color.fill(-1);
  image.input_words.fill(0);
  image.output_words.fill(0);
  for (const std::uint32_t n : c.inputs) {
    const queue_binding& b = p.inputs[n];
    image.input_color[static_cast<std::size_t>(b.queue)] = static_cast<std::int8_t>(b.color);
    image.input_words[static_cast<std::size_t>(b.color)] = static_cast<std::uint8_t>(
        chip.input_queue_words[static_cast<std::size_t>(b.queue)] + chip.ramp_receive_register_words);
  }
  for (const std::uint32_t n : c.outputs) {
    const queue_binding& b = p.outputs[n];
    image.output_color[static_cast<std::size_t>(b.queue)] = static_cast<std::int8_t>(b.color);
    image.output_words[static_cast<std::size_t>(b.color)] = static_cast<std::uint8_t>(
        chip.output_queue_words[static_cast<std::size_t>(b.queue)] + chip.ramp_send_register_words);
  }
}

std::uint32_t task_bit(const burst_class& image, const std::optional<task_id>& id) {
  return id ? std::uint32_t{1} << image.slot_of_task[static_cast<std::size_t>(*id)] : 0;
}

// A queue whose room is known a round trip later can be filled at words / round trip.
void add_input(burst_operation& o, const operand& from, const burst_class& image, const fabric_chip& chip) {
  if (from.where != operand::kind::fabric_in) return;
  const std::int8_t color =
      from.color >= 0 ? static_cast<std::int8_t>(from.color) : image.input_color[static_cast<std::size_t>(from.queue)];
  o.in[o.inputs++] = color;
  o.limit =
      std::min(o.limit, rate_of(image.input_words[static_cast<std::size_t>(color)], chip.ramp_receive_cycles + 1));
}

void set_output(burst_operation& o, queue_id queue, color_id color, const burst_class& image, const fabric_chip& chip) {
  o.out = color >= 0 ? static_cast<std::int8_t>(color) : image.output_color[static_cast<std::size_t>(queue)];
  const std::int64_t round_trip =
      chip.core.execute_cycles + chip.ramp_send_cycles + 1 + (o.slot != 0 ? chip.core.microthread_wake_cycles : 0);
  o.limit = std::min(o.limit, rate_of(image.output_words[static_cast<std::size_t>(o.out)], round_trip));
}

burst_operation make_operation(const vector_op& v, const burst_class& image, const fabric_chip& chip) {
  const thread_state model = make_thread(v, chip);
  burst_operation o;
  o.op = &v;
  o.slot = static_cast<std::uint8_t>(v.thread ? 1 + *v.thread : 0);
  o.elements = model.elements;
  o.has_constant_length = v.length.is_constant() && v.length.modulus == 0;
  o.activates = task_bit(image, v.activates);
  o.unblocks = task_bit(image, v.unblocks);
  o.control = v.closing_control;
  if (model.kind == thread_kind::local) {
    o.kind = burst_operation_kind::local;
    o.elements_per_cycle = local_rate(v, chip);
    return o;
  }
  o.step_cycles = model.step_cycles;
  o.limit = rate_of(1, o.step_cycles);
  add_input(o, v.a, image, chip);
  add_input(o, v.b, image, chip);
  if (v.dst.where == operand::kind::fabric_out) set_output(o, v.dst.queue, v.dst.color, image, chip);
  return o;
}

burst_operation make_operation(const send_control& c, const burst_class& image, const fabric_chip& chip) {
  burst_operation o;
  o.kind = burst_operation_kind::control;
  o.control = c.word;
  set_output(o, c.queue, c.color, image, chip);
  return o;
}

void add_operations(burst_class& image, const fabric_chip& chip) {
  for (burst_task& t : image.tasks)
    for (const instruction& i : t.code->body) {
      t.operations.emplace_back();
      if (const auto* v = std::get_if<vector_op>(&i)) t.operations.back() = make_operation(*v, image, chip);
      if (const auto* c = std::get_if<send_control>(&i)) t.operations.back() = make_operation(*c, image, chip);
    }
}

burst_task make_task(const task& t) {
  burst_task result;
  result.id = t.id;
  result.code = &t;
  std::vector<std::uint32_t> open;
  result.match.resize(t.body.size(), 0);
  for (std::uint32_t i = 0; i < t.body.size(); ++i) {
    if (std::holds_alternative<end_loop>(t.body[i])) {
      result.match[i] = open.back();
      result.match[open.back()] = i;
      open.pop_back();
    }
    result.depth.push_back(static_cast<std::uint8_t>(open.size()));
    if (std::holds_alternative<begin_loop>(t.body[i])) open.push_back(i);
  }
  return result;
}

void add_tasks(burst_class& image, const program& p, const core_class& c) {
  if (c.tasks.size() > static_cast<std::size_t>(burst_class::max_tasks))
    throw std::invalid_argument(fmt::format("{}: {} tasks at one core, the burst engine runs at most {}",
                                            to_string(c.example), c.tasks.size(), burst_class::max_tasks));
  for (const std::uint32_t n : c.tasks) {
    image.tasks.push_back(make_task(p.tasks[n]));
    if (p.tasks[n].trigger)
      image.tasks.back().trigger_color = image.input_color[static_cast<std::size_t>(*p.tasks[n].trigger)];
  }
  std::sort(image.tasks.begin(), image.tasks.end(), [](const burst_task& x, const burst_task& y) {
    return x.code->priority != y.code->priority ? x.code->priority > y.code->priority : x.id < y.id;
  });
  image.slot_of_task.fill(-1);
  for (std::size_t slot = 0; slot < image.tasks.size(); ++slot) {
    const task& t = *image.tasks[slot].code;
    const std::uint32_t bit = std::uint32_t{1} << slot;
    image.slot_of_task[static_cast<std::size_t>(t.id)] = static_cast<std::int8_t>(slot);
    if (t.active_at_start) image.active_at_start |= bit;
    if (t.blocked_at_start) image.blocked_at_start |= bit;
    if (t.trigger) image.data_tasks |= bit;
  }
}

}  // namespace

burst_layout::burst_layout(const program& p, const fabric_chip& chip)
    : core_kinds(p),
      columns(p.columns),
      rows(p.rows),
      columns_per_core(static_cast<std::uint32_t>(0xffffffffu / static_cast<std::uint32_t>(p.rows))) {
  std::array<int, burst_class::max_colors> switch_slot;
  switch_slot.fill(-1);
  for (const route& r : p.routes)
    if (int& slot = switch_slot[static_cast<std::size_t>(r.color)]; r.positions.size() > 1 && slot < 0)
      slot = switched_colors++;
  for (std::size_t i = 0; i < core_kinds.size(); ++i) {
    burst_class image;
    add_routes(image, p, core_kinds[i]);
    for (burst_rule& rule : image.rules)
      if (rule.r != nullptr && rule.r->positions.size() > 1)
        rule.switch_slot = static_cast<std::uint8_t>(switch_slot[static_cast<std::size_t>(rule.r->color)]);
    add_queues(image, p, chip, core_kinds[i]);
    add_tasks(image, p, core_kinds[i]);
    add_operations(image, chip);
    classes.push_back(std::move(image));
  }
}

burst_pipe_end burst_layout::follow(coordinate at, port side, color_id color, int hops) const {
  while (true) {
    const burst_rule& rule = class_of(at).rules[static_cast<std::size_t>(color)];
    if (rule.kind == burst_rule_kind::deliver) return {burst_pipe_end::kind::inbox, at, side, hops};
    if (rule.kind != burst_rule_kind::pass) return {burst_pipe_end::kind::node, at, side, hops};
    const coordinate next = neighbour(at, rule.exit);
    if (!inside(next)) return {burst_pipe_end::kind::sink, at, rule.exit, hops};
    at = next;
    side = opposite(rule.exit);
    ++hops;
  }
}

}  // namespace scribeline::fabric
