#include "rtl_tlm/fabric/program/parse_instruction.h"

#include <fmt/format.h>

#include <vector>

namespace scribeline::fabric {
namespace {

// One signed summand; what has no variable is added to `constant`.
void parse_term(text_cursor& c, int sign, affine& a, std::int32_t& constant) {
  const bool has_factor = c.is_number();
  const std::int32_t factor = sign * (has_factor ? c.need_integer("a number") : 1);
  if (c.take_word("column")) {
    a.per_column += factor;
  } else if (c.take_word("row")) {
    a.per_row += factor;
  } else if (c.take_word("k")) {
    a.per_iteration[0] += factor;
  } else if (c.take_word("outer")) {
    c.need_word("k");
    a.per_iteration[1] += factor;
  } else if (has_factor) {
    constant += factor;
  } else {
    c.expected("a number, column, row, k or outer k");
  }
}

void parse_wrapped(text_cursor& c, affine& a) {
  int sign = c.take_sign("-") ? -1 : 1;
  do {
    parse_term(c, sign, a, a.offset);
    sign = c.take_sign("-") ? -1 : 1;
  } while (sign < 0 || c.take_sign("+"));
  c.need_sign(")");
  c.need_word("mod");
  a.modulus = c.need_integer("a modulus");
  if (a.modulus < 1) c.wrong("a modulus of less than one");
}

element_type parse_type(text_cursor& c) {
  for (const element_type type :
       {element_type::fp32, element_type::fp16, element_type::bf16, element_type::int32, element_type::int16})
    if (c.take_word(name(type))) return type;
  c.expected("fp32, fp16, bf16, int32 or int16");
}

color_id parse_optional_color(text_cursor& c) {
  return c.take_word("color") ? c.need_integer("the number of a color") : -1;
}

operand parse_queue(text_cursor& c, operand::kind kind) {
  c.need_word("queue");
  operand o;
  o.where = kind;
  o.queue = c.need_integer("the number of a queue");
  o.color = parse_optional_color(c);
  return o;
}

affine parse_address(text_cursor& c) {
  c.need_word("sram");
  c.need_sign("[");
  const affine address = parse_affine(c);
  c.need_sign("]");
  return address;
}

operand parse_operand(text_cursor& c) {
  if (c.take_word("input")) return parse_queue(c, operand::kind::fabric_in);
  if (c.take_word("output")) return parse_queue(c, operand::kind::fabric_out);
  if (c.take_word("nothing")) return {};
  if (c.is_number()) return constant(c.need_real("a number"));
  operand o = sram(parse_address(c));
  if (c.take_word("stride")) o.stride = c.need_integer("a stride in elements");
  if (c.take_word("repeating")) o.wrap = c.need_integer("how many elements repeat");
  return o;
}

// "control", "control advance 0+2, activating task 3", "control advance for every router": the numbers are places of
// routers on the path, 0 the sender's own.
control_word parse_control(text_cursor& c) {
  c.need_word("control");
  control_word word;
  if (c.take_word("advance")) {
    if (c.take_word("for")) {
      c.need_word("every");
      c.need_word("router");
      word = control_word::advance_all_routers();
    } else {
      do {
        const std::int32_t place = c.need_integer("a router's place on the path, or \"for every router\"");
        if (place < 0 || place >= control_word::max_commands)
          c.wrong("a control word reaches the routers 0..7 of a path");
        word = word.advancing(place);
      } while (c.take_sign("+"));
    }
  }
  return word;
}

task_id parse_activated_task(text_cursor& c) {
  c.need_word("task");
  const task_id task = c.need_integer("the number of a task");
  if (task < 0 || task > 0xff) c.wrong("a control word activates tasks 0..255");
  return task;
}

// What follows the length: ", 2 descriptors kept, microthread 1, then control ..., then activate 2, then unblock 3"
void parse_vector_ending(text_cursor& c, vector_op& v) {
  if (c.is_number()) {
    const std::int32_t kept = c.need_integer("how many descriptors stay loaded");
    if (kept < 1 || kept > 3) c.wrong("of three descriptors, 1..3 can stay loaded");
    v.kept_descriptors = static_cast<std::uint8_t>(kept);
    c.need_word("descriptors");
    c.need_word("kept");
  } else if (c.take_word("microthread")) {
    v.thread = c.need_integer("the number of a microthread");
  } else if (c.take_word("activating") && v.closing_control) {
    v.closing_control = v.closing_control->activating(parse_activated_task(c));
  } else {
    c.need_word("then");
    if (c.take_word("activate"))
      v.activates = c.need_integer("the number of a task");
    else if (c.take_word("unblock"))
      v.unblocks = c.need_integer("the number of a task");
    else
      v.closing_control = parse_control(c);
  }
}

vector_op parse_vector_op(text_cursor& c, opcode op) {
  vector_op v;
  v.op = op;
  v.type = parse_type(c);
  v.dst = parse_operand(c);
  c.need_sign("<-");
  v.a = parse_operand(c);
  c.need_sign(",");
  // The length comes next when there is no second operand: it begins like a constant one, and ends in "elements".
  if (!takes_one_source(op)) {
    v.b = parse_operand(c);
    if (op == opcode::multiply_add) {
      c.need_sign("*");
      v.scalar_address = parse_address(c);
    }
    c.need_sign(",");
  }
  v.length = parse_affine(c);
  c.need_word("elements");
  while (c.take_sign(","))
    parse_vector_ending(c, v);
  return v;
}

send_control parse_send(text_cursor& c) {
  send_control s;
  s.word = parse_control(c);
  if (c.take_sign(",")) {
    c.need_word("activating");
    s.word = s.word.activating(parse_activated_task(c));
  }
  c.need_word("to");
  c.need_word("output");
  const operand o = parse_queue(c, operand::kind::fabric_out);
  s.queue = o.queue;
  s.color = o.color;
  return s;
}

activate_task parse_activate(text_cursor& c) {
  activate_task activate;
  activate.task = c.need_integer("the number of a task");
  if (!c.take_word("if")) return activate;
  data_condition condition{parse_address(c)};
  if (c.take_sign(",")) {
    c.need_word("assumed");
    condition.assumed = c.take_word("yes");
    if (!*condition.assumed) c.need_word("no");
  }
  activate.condition = condition;
  return activate;
}

begin_loop parse_loop(text_cursor& c) {
  begin_loop loop{parse_affine(c)};
  c.need_word("times");
  return loop;
}

}  // namespace

affine parse_affine(text_cursor& c) {
  affine a;
  std::int32_t constant = 0;
  int sign = c.take_sign("-") ? -1 : 1;
  do {
    if (sign > 0 && a.modulus == 0 && c.take_sign("("))
      parse_wrapped(c, a);
    else
      parse_term(c, sign, a, constant);
    sign = c.take_sign("-") ? -1 : 1;
  } while (sign < 0 || c.take_sign("+"));
  a.base = constant;
  return a;
}

instruction parse_instruction(text_cursor& c) {
  for (const opcode op : all_opcodes)
    if (c.take_word(name(op))) return parse_vector_op(c, op);
  if (c.take_word("scalar")) {
    c.need_word("work");
    c.need_sign(",");
    const scalar_work work{c.need_integer("how many cycles")};
    c.need_word("cycles");
    return work;
  }
  if (c.take_word("activate")) return parse_activate(c);
  if (c.take_word("block")) return block_task{c.need_integer("the number of a task")};
  if (c.take_word("unblock")) return unblock_task{c.need_integer("the number of a task")};
  if (c.take_word("timestamp")) {
    c.need_sign(",");
    c.need_word("mark");
    const std::int32_t mark = c.need_integer("a mark");
    if (mark < 0 || mark > 0xffff) c.wrong("marks are 0..65535");
    return timestamp{static_cast<std::uint16_t>(mark)};
  }
  if (c.take_word("send")) return parse_send(c);
  if (c.take_word("loop")) return parse_loop(c);
  if (c.take_word("end")) {
    c.need_word("loop");
    return end_loop{};
  }
  c.expected(
      "an instruction (copy, add, ..., scalar work, activate, block, unblock, timestamp, send, loop, end loop) "
      "or a rule (route, input queue, output queue, edge, task)");
}

}  // namespace scribeline::fabric
