#include "rtl_tlm/fabric/program/dump.h"

#include <fmt/format.h>

namespace scribeline::fabric {
namespace {

std::string color_text(color_id color) {
  return color < 0 ? "" : fmt::format(" color {}", color);
}

std::string operand_text(const operand& o) {
  switch (o.where) {
    case operand::kind::none:
      return "nothing";
    case operand::kind::fabric_in:
      return fmt::format("input queue {}{}", o.queue, color_text(o.color));
    case operand::kind::fabric_out:
      return fmt::format("output queue {}{}", o.queue, color_text(o.color));
    case operand::kind::constant:
      return fmt::format("{}", o.value);
    case operand::kind::sram:
      break;
  }
  std::string text = fmt::format("sram[{}]", to_string(o.address));
  if (o.stride != 1) text += fmt::format(" stride {}", o.stride);
  if (o.wrap != 0) text += fmt::format(" repeating {}", o.wrap);
  return text;
}

std::string control_text(control_word word) {
  std::string text = "control";
  if (!word.pops()) {
    text += " advance for every router";
  } else {
    std::string commands;
    for (int i = 0; i < control_word::max_commands; ++i)
      if (word.command(i) == switch_command::advance)
        commands += fmt::format("{}{}", commands.empty() ? " advance " : "+", i);
    text += commands;
  }
  if (word.task()) text += fmt::format(", activating task {}", *word.task());
  return text;
}

struct instruction_text {
  std::string operator()(const vector_op& v) const {
    std::string text = fmt::format("{} {} {} <- {}", name(v.op), name(v.type), operand_text(v.dst), operand_text(v.a));
    if (v.b.where != operand::kind::none) text += fmt::format(", {}", operand_text(v.b));
    if (v.op == opcode::multiply_add) text += fmt::format(" * sram[{}]", to_string(v.scalar_address));
    text += fmt::format(", {} elements", to_string(v.length));
    if (v.kept_descriptors > 0) text += fmt::format(", {} descriptors kept", v.kept_descriptors);
    if (v.thread) text += fmt::format(", microthread {}", *v.thread);
    if (v.closing_control) text += ", then " + control_text(*v.closing_control);
    if (v.activates) text += fmt::format(", then activate {}", *v.activates);
    if (v.unblocks) text += fmt::format(", then unblock {}", *v.unblocks);
    return text;
  }
  std::string operator()(const scalar_work& s) const { return fmt::format("scalar work, {} cycles", s.cycles); }
  std::string operator()(const activate_task& a) const {
    std::string text = fmt::format("activate {}", a.task);
    if (!a.condition) return text;
    text += fmt::format(" if sram[{}]", to_string(a.condition->address));
    if (a.condition->assumed) text += *a.condition->assumed ? ", assumed yes" : ", assumed no";
    return text;
  }
  std::string operator()(const block_task& b) const { return fmt::format("block {}", b.task); }
  std::string operator()(const unblock_task& u) const { return fmt::format("unblock {}", u.task); }
  std::string operator()(const timestamp& t) const { return fmt::format("timestamp, mark {}", t.mark); }
  std::string operator()(const send_control& s) const {
    return fmt::format("send {} to output queue {}{}", control_text(s.word), s.queue, color_text(s.color));
  }
  std::string operator()(const begin_loop& l) const { return fmt::format("loop {} times", to_string(l.count)); }
  std::string operator()(const end_loop&) const { return "end loop"; }
};

void append_route(std::string& text, const route& r) {
  text += fmt::format("route color {} at {}:", r.color, to_string(r.where));
  const char* separator = " ";
  for (const route_position& position : r.positions) {
    text += fmt::format("{}{} -> {}", separator, to_string(position.receive), to_string(position.transmit));
    separator = ", then ";
  }
  text += r.ring ? ", ring\n" : "\n";
}

void append_task(std::string& text, const task& t) {
  text += fmt::format("task {} \"{}\" at {}", t.id, t.name, to_string(t.where));
  if (t.trigger) text += fmt::format(", on data in input queue {}", *t.trigger);
  if (t.argument_address >= 0) text += fmt::format(", word to sram[{}]", t.argument_address);
  if (t.priority != 0) text += fmt::format(", priority {}", t.priority);
  if (t.active_at_start) text += ", active at start";
  if (t.blocked_at_start) text += ", blocked at start";
  text += '\n';
  std::size_t depth = 1;
  for (const instruction& i : t.body) {
    if (std::holds_alternative<end_loop>(i) && depth > 1) --depth;
    text += std::string(2 * depth, ' ') + to_text(i) + '\n';
    if (std::holds_alternative<begin_loop>(i)) ++depth;
  }
}

}  // namespace

std::string to_text(const instruction& i) {
  return std::visit(instruction_text{}, i);
}

std::string to_text(const program& p) {
  std::string text = fmt::format("program \"{}\", {} columns x {} rows", p.name, p.columns, p.rows);
  text += p.merging_routes ? ", routes may merge\n" : "\n";
  for (const route& r : p.routes)
    append_route(text, r);
  for (const queue_binding& b : p.inputs)
    text += fmt::format("input queue {} takes color {} at {}\n", b.queue, b.color, to_string(b.where));
  for (const queue_binding& b : p.outputs)
    text += fmt::format("output queue {} feeds color {} at {}\n", b.queue, b.color, to_string(b.where));
  for (const edge_input& e : p.edge_inputs)
    text += fmt::format("edge input color {} through {} of {}: {} words from cycle {}, one every {}\n", e.color,
                        to_string(e.side), to_string(e.where), to_string(e.words), e.first_cycle, e.period_cycles);
  for (const edge_output& e : p.edge_outputs)
    text += fmt::format("edge output color {} through {} of {}\n", e.color, to_string(e.side), to_string(e.where));
  for (const task& t : p.tasks)
    append_task(text, t);
  return text;
}

}  // namespace scribeline::fabric
