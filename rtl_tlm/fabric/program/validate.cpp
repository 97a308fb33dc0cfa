#include "rtl_tlm/fabric/program/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rtl_tlm/fabric/program/core_classes.h"
#include "rtl_tlm/fabric/program/validate_body.h"

namespace scribeline::fabric {
namespace {

// Collects issues and drops repetitions of one text.
class issue_list {
 public:
  template <class... Args>
  void add(coordinate where, fmt::format_string<Args...> format, Args&&... args) {
    std::string text = fmt::format(format, std::forward<Args>(args)...);
    if (said_.insert(text).second) issues_.push_back({where, to_string(where) + ": " + text});
  }
  bool empty() const { return issues_.empty(); }
  std::vector<program_issue> take() { return std::move(issues_); }

 private:
  std::set<std::string> said_;
  std::vector<program_issue> issues_;
};

void check_region(const program& p, const region& r, const char* what, issue_list& issues) {
  if (r.column_step < 1 || r.row_step < 1)
    issues.add(r.first, "{} has region steps {} and {}; steps start at 1", what, r.column_step, r.row_step);
  else if (r.first.column < 0 || r.first.row < 0 || r.last().column >= p.columns || r.last().row >= p.rows)
    issues.add(r.first, "{} covers {}, the program has {} columns and {} rows", what, to_string(r), p.columns, p.rows);
}

void check_regions(const program& p, issue_list& issues) {
  for (const route& r : p.routes)
    check_region(p, r.where, fmt::format("route of color {}", r.color).c_str(), issues);
  for (const queue_binding& b : p.inputs)
    check_region(p, b.where, fmt::format("input queue {}", b.queue).c_str(), issues);
  for (const queue_binding& b : p.outputs)
    check_region(p, b.where, fmt::format("output queue {}", b.queue).c_str(), issues);
  for (const task& t : p.tasks)
    check_region(p, t.where, fmt::format("task {}", t.id).c_str(), issues);
  for (const edge_input& e : p.edge_inputs)
    check_region(p, e.where, "edge input", issues);
  for (const edge_output& e : p.edge_outputs)
    check_region(p, e.where, "edge output", issues);
}

void check_route(const program& p, const fabric_chip& chip, const route& r, issue_list& issues) {
  const coordinate at = r.where.first;
  if (r.color < 0 || r.color >= chip.colors)
    issues.add(at, "route of color {}; {} has colors 0..{}", r.color, chip.name, chip.colors - 1);
  const int count = static_cast<int>(r.positions.size());
  if (count < 1 || count > chip.switch_positions)
    issues.add(at, "route of color {} has {} switch positions; give 1..{}", r.color, count, chip.switch_positions);
  for (const route_position& position : r.positions) {
    if (position.receive.empty()) issues.add(at, "route of color {} receives from nowhere", r.color);
    if (position.receive.size() > 1 && !p.merging_routes)
      issues.add(at, "route of color {} receives from {}; a color has one receive side (or set merging_routes)",
                 r.color, to_string(position.receive));
    if (position.transmit.empty()) issues.add(at, "route of color {} transmits to nothing", r.color);
    for (int i = 0; i < link_ports; ++i) {
      const port side = static_cast<port>(i);
      if (position.receive.contains(side) && position.transmit.contains(side))
        issues.add(at, "route of color {} sends words back {}, where they came from", r.color, to_string(side));
    }
  }
}

void check_binding(const queue_binding& b, int queues, int colors, const char* kind, issue_list& issues) {
  if (b.queue < 0 || b.queue >= queues)
    issues.add(b.where.first, "{} queue {} bound to color {}; queue ids are 0..{}", kind, b.queue, b.color, queues - 1);
  if (b.color < 0 || b.color >= colors)
    issues.add(b.where.first, "{} queue {} bound to color {}; colors are 0..{}", kind, b.queue, b.color, colors - 1);
}

bool at_edge(const program& p, coordinate c, port side) {
  const coordinate beyond = neighbour(c, side);
  return beyond.column < 0 || beyond.row < 0 || beyond.column >= p.columns || beyond.row >= p.rows;
}

const route* route_of(const program& p, const core_class& c, color_id color) {
  for (const std::uint32_t r : c.routes)
    if (p.routes[r].color == color) return &p.routes[r];
  return nullptr;
}

// At most one rule for each key at every core of the class.
template <class Rule, class Key>
void check_unique(const std::vector<Rule>& rules, const std::vector<std::uint32_t>& here, coordinate at, Key key,
                  const char* what, issue_list& issues) {
  std::set<int> seen;
  for (const std::uint32_t r : here)
    if (const int k = key(rules[r]); k >= 0 && !seen.insert(k).second) issues.add(at, "two rules for {} {}", what, k);
}

void check_class(const program& p, const core_class& c, issue_list& issues) {
  const coordinate at = c.example;
  check_unique(
      p.routes, c.routes, at, [](const route& r) { return int{r.color}; }, "the route of color", issues);
  const auto color = [](const queue_binding& b) { return int{b.color}; };
  check_unique(p.inputs, c.inputs, at, color, "the input queue of color", issues);
  check_unique(p.outputs, c.outputs, at, color, "the output queue of color", issues);
  check_unique(
      p.tasks, c.tasks, at, [](const task& t) { return int{t.id}; }, "task", issues);
  check_unique(
      p.tasks, c.tasks, at, [](const task& t) { return t.trigger ? int{*t.trigger} : -1; },
      "the data task of input queue", issues);

  for (const std::uint32_t n : c.routes) {
    const route& r = p.routes[n];
    const bool bound =
        std::any_of(c.inputs.begin(), c.inputs.end(), [&](std::uint32_t b) { return p.inputs[b].color == r.color; });
    if (r.ever_transmits(port::ramp) && !bound)
      issues.add(at, "color {} is sent to the ramp, but no input queue is bound to it", r.color);
  }
  for (const std::uint32_t n : c.outputs) {
    const route* r = route_of(p, c, p.outputs[n].color);
    if (r == nullptr || !r->ever_receives(port::ramp))
      issues.add(at, "output queue {} feeds color {}, which no route here takes from the ramp", p.outputs[n].queue,
                 p.outputs[n].color);
  }
}

bool has_edge_output(const program& p, const core_class& c, color_id color, port side) {
  return std::any_of(c.edge_outputs.begin(), c.edge_outputs.end(), [&](std::uint32_t e) {
    return p.edge_outputs[e].color == color && p.edge_outputs[e].side == side;
  });
}

// Every word that leaves through a link must find a receiver.
void check_link(const program& p, const core_classes& classes, const neighbouring_classes& n, issue_list& issues) {
  for (const std::uint32_t number : classes[n.from].routes) {
    const route& r = p.routes[number];
    if (!r.ever_transmits(n.side)) continue;
    if (n.to == neighbouring_classes::outside) {
      if (!has_edge_output(p, classes[n.from], r.color, n.side))
        issues.add(n.where, "color {} leaves the fabric to the {}", r.color, to_string(n.side));
      continue;
    }
    const route* next = route_of(p, classes[n.to], r.color);
    const std::string there = to_string(neighbour(n.where, n.side));
    if (next == nullptr)
      issues.add(n.where, "color {} is sent {} to {}, which has no route for it", r.color, to_string(n.side), there);
    else if (!next->ever_receives(opposite(n.side)))
      issues.add(n.where, "color {} is sent {} to {}, which never receives it from the {}", r.color, to_string(n.side),
                 there, to_string(opposite(n.side)));
  }
}

template <class Edge>
void check_edge(const program& p, const fabric_chip& chip, const Edge& e, const char* what, issue_list& issues) {
  if (e.color < 0 || e.color >= chip.colors)
    issues.add(e.where.first, "{} of color {}; colors are 0..{}", what, e.color, chip.colors - 1);
  if (e.side == port::ramp)
    issues.add(e.where.first, "{} of color {} through the ramp; give one of the four link sides", what, e.color);
  else if (!at_edge(p, e.where.first, e.side) || !at_edge(p, e.where.last(), e.side))
    issues.add(e.where.first, "{} of color {} through the {}, but {} does not lie at that edge", what, e.color,
               to_string(e.side), to_string(e.where));
}

void check_edges(const program& p, const fabric_chip& chip, const core_classes& classes, issue_list& issues) {
  for (const edge_output& e : p.edge_outputs)
    check_edge(p, chip, e, "edge output", issues);
  for (const edge_input& e : p.edge_inputs) {
    check_edge(p, chip, e, "edge input", issues);
    if (e.period_cycles < 1) issues.add(e.where.first, "edge input of color {} has a period below 1 cycle", e.color);
  }
  for (std::size_t i = 0; i < classes.size(); ++i)
    for (const std::uint32_t n : classes[i].edge_inputs) {
      const edge_input& e = p.edge_inputs[n];
      const route* r = route_of(p, classes[i], e.color);
      if (r == nullptr || !r->ever_receives(e.side))
        issues.add(classes[i].example, "edge input of color {} enters from the {}, where no route receives it", e.color,
                   to_string(e.side));
    }
}

}  // namespace

std::vector<program_issue> validate(const program& p, const fabric_chip& chip, bool values) {
  issue_list issues;
  if (p.columns < 1 || p.rows < 1 || p.columns > chip.columns || p.rows > chip.rows)
    issues.add({0, 0}, "the program needs {} columns x {} rows, {} has {} x {}", p.columns, p.rows, chip.name,
               chip.columns, chip.rows);
  check_regions(p, issues);
  for (const route& r : p.routes)
    check_route(p, chip, r, issues);
  for (const queue_binding& b : p.inputs)
    check_binding(b, chip.input_queues, chip.colors, "input", issues);
  for (const queue_binding& b : p.outputs)
    check_binding(b, chip.output_queues, chip.colors, "output", issues);
  // What follows looks at places and ids, so these have to be sound.
  if (!issues.empty()) return issues.take();

  const core_classes classes(p);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    check_class(p, classes[i], issues);
    for (const std::uint32_t n : classes[i].tasks)
      for (const std::string& text : body_issues(p, chip, classes[i], p.tasks[n], values))
        issues.add(classes[i].example, "{}", text);
  }
  for (const neighbouring_classes& n : classes.neighbours())
    check_link(p, classes, n, issues);
  check_edges(p, chip, classes, issues);
  return issues.take();
}

namespace {

std::string summary(const std::string& program_name, const std::vector<program_issue>& issues) {
  constexpr std::size_t shown = 8;
  std::string text = fmt::format("fabric program \"{}\" cannot run, {} issue{}:", program_name, issues.size(),
                                 issues.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < std::min(shown, issues.size()); ++i)
    text += "\n  " + issues[i].text;
  if (issues.size() > shown) text += fmt::format("\n  and {} more", issues.size() - shown);
  return text;
}

}  // namespace

program_error::program_error(const std::string& program_name, std::vector<program_issue> issues)
    : std::runtime_error(summary(program_name, issues)), issues_(std::move(issues)) {}

void require_valid(const program& p, const fabric_chip& chip, bool values) {
  std::vector<program_issue> issues = validate(p, chip, values);
  if (!issues.empty()) throw program_error(p.name, std::move(issues));
}

}  // namespace scribeline::fabric
