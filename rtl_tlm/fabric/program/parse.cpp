#include "rtl_tlm/fabric/program/parse.h"

#include <fmt/format.h>

#include <array>

#include "rtl_tlm/fabric/program/parse_instruction.h"

namespace scribeline::fabric {
namespace {

constexpr std::array<port, ports> every_port = {port::north, port::east, port::south, port::west, port::ramp};

bool take_port(text_cursor& c, port_set& set) {
  for (const port p : every_port) {
    if (!c.take_word(to_string(p))) continue;
    set = set.with(p);
    return true;
  }
  return false;
}

port_set need_ports(text_cursor& c) {
  port_set set;
  if (c.take_word("nothing")) return set;
  do {
    if (!take_port(c, set)) c.expected("north, east, south, west or ramp");
  } while (c.take_sign("+"));
  return set;
}

port need_side(text_cursor& c) {
  for (const port p : every_port)
    if (p != port::ramp && c.take_word(to_string(p))) return p;
  c.expected("north, east, south or west");
}

// "column 3", "columns 0..510 step 2"
void need_axis(text_cursor& c, const std::string& name, int& first, int& count, int& step) {
  if (c.take_word(name)) {
    first = c.need_integer("its number");
    return;
  }
  if (!c.take_word(name + "s")) c.expected(fmt::format("\"{}\" or \"{}s\"", name, name));
  first = c.need_integer("the first of them");
  c.need_sign("..");
  const int last = c.need_integer("the last of them");
  if (c.take_word("step")) step = c.need_integer("a step");
  if (step < 1) c.wrong("a step of less than one");
  if (last < first || (last - first) % step != 0)
    c.wrong(fmt::format("{} is not reached from {} in steps of {}", last, first, step));
  count = (last - first) / step + 1;
}

region need_region(text_cursor& c) {
  region r;
  need_axis(c, "column", r.first.column, r.columns, r.column_step);
  c.need_sign(",");
  need_axis(c, "row", r.first.row, r.rows, r.row_step);
  return r;
}

class program_parser {
 public:
  program_parser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  program parse() {
    std::size_t line = 0;
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      text_cursor c(without_comment(text_.substr(at, end - at)), fmt::format("{}:{}", file_, ++line));
      if (!c.at_end()) parse_line(c);
      at = end + 1;
    }
    if (!has_head_) text_cursor({}, fmt::format("{}:{}", file_, line + 1)).expected("program \"name\", ...");
    return std::move(result_);
  }

 private:
  static std::string_view without_comment(std::string_view line) {
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"') quoted = !quoted;
      if (line[i] == '#' && !quoted) return line.substr(0, i);
    }
    return line;
  }

  void parse_line(text_cursor& c) {
    if (!has_head_)
      parse_head(c);
    else if (c.take_word("route"))
      parse_route(c);
    else if (c.take_word("input"))
      parse_binding(c, "takes", result_.inputs);
    else if (c.take_word("output"))
      parse_binding(c, "feeds", result_.outputs);
    else if (c.take_word("edge"))
      parse_edge(c);
    else if (c.take_word("task"))
      parse_task(c);
    else if (result_.tasks.empty())
      c.expected("route, input queue, output queue, edge or task");
    else
      result_.tasks.back().body.push_back(parse_instruction(c));
    c.need_end();
  }

  void parse_head(text_cursor& c) {
    c.need_word("program");
    result_.name = c.need_quoted("the name of the program");
    c.need_sign(",");
    result_.columns = c.need_integer("how many columns");
    c.need_word("columns");
    c.need_word("x");
    result_.rows = c.need_integer("how many rows");
    c.need_word("rows");
    if (result_.columns < 1 || result_.rows < 1) c.wrong("a program has at least one column and one row");
    if (c.take_sign(",")) {
      for (const char* word : {"routes", "may", "merge"})
        c.need_word(word);
      result_.merging_routes = true;
    }
    has_head_ = true;
  }

  static int need_color(text_cursor& c) {
    c.need_word("color");
    return c.need_integer("the number of a color");
  }

  static region need_place(text_cursor& c) {
    c.need_word("at");
    return need_region(c);
  }

  // route color 5 at column 3, row 0: ramp -> west, then north -> west, ring
  void parse_route(text_cursor& c) {
    route r;
    r.color = need_color(c);
    r.where = need_place(c);
    c.need_sign(":");
    for (bool more = true; more;) {
      const port_set receive = need_ports(c);
      c.need_sign("->");
      r.positions.push_back({receive, need_ports(c)});
      more = false;
      if (!c.take_sign(",")) break;
      more = c.take_word("then");
      if (!more) {
        c.need_word("ring");
        r.ring = true;
      }
    }
    result_.routes.push_back(std::move(r));
  }

  static void parse_binding(text_cursor& c, const char* verb, std::vector<queue_binding>& bindings) {
    c.need_word("queue");
    queue_binding b;
    b.queue = c.need_integer("the number of a queue");
    c.need_word(verb);
    b.color = need_color(c);
    b.where = need_place(c);
    bindings.push_back(b);
  }

  // edge input color 5 through west of column 0, rows 0..7: 64 words from cycle 0, one every 1
  // edge output color 5 through east of column 7, rows 0..7
  void parse_edge(text_cursor& c) {
    const bool in = c.take_word("input");
    if (!in) c.need_word("output");
    edge_input e;
    e.color = need_color(c);
    c.need_word("through");
    e.side = need_side(c);
    c.need_word("of");
    e.where = need_region(c);
    if (!in) {
      result_.edge_outputs.push_back({e.where, e.side, e.color});
      return;
    }
    c.need_sign(":");
    e.words = parse_affine(c);
    for (const char* word : {"words", "from", "cycle"})
      c.need_word(word);
    e.first_cycle = c.need_integer("the cycle of the first word");
    c.need_sign(",");
    c.need_word("one");
    c.need_word("every");
    e.period_cycles = c.need_integer("cycles between words");
    result_.edge_inputs.push_back(e);
  }

  void parse_task(text_cursor& c) {
    task t;
    t.id = c.need_integer("the number of a task");
    t.name = c.need_quoted("the name of the task");
    t.where = need_place(c);
    while (c.take_sign(","))
      parse_task_property(c, t);
    result_.tasks.push_back(std::move(t));
  }

  static void parse_task_property(text_cursor& c, task& t) {
    if (c.take_word("on")) {
      for (const char* word : {"data", "in", "input", "queue"})
        c.need_word(word);
      t.trigger = c.need_integer("the number of a queue");
    } else if (c.take_word("word")) {
      c.need_word("to");
      c.need_word("sram");
      c.need_sign("[");
      t.argument_address = c.need_integer("a byte address");
      c.need_sign("]");
    } else if (c.take_word("priority")) {
      t.priority = c.need_integer("a priority");
    } else if (c.take_word("active")) {
      c.need_word("at");
      c.need_word("start");
      t.active_at_start = true;
    } else if (c.take_word("blocked")) {
      c.need_word("at");
      c.need_word("start");
      t.blocked_at_start = true;
    } else {
      c.expected("on data, word to, priority, active at start or blocked at start");
    }
  }

  std::string_view text_;
  const std::string& file_;
  program result_;
  bool has_head_ = false;
};

}  // namespace

program parse_program(std::string_view text, const std::string& file) {
  return program_parser(text, file).parse();
}

}  // namespace scribeline::fabric
