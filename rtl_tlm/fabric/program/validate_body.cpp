#include "rtl_tlm/fabric/program/validate_body.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtl_tlm/fabric/program/dump.h"

namespace scribeline::fabric {
namespace {

class body_check {
 public:
  body_check(const program& p, const fabric_chip& chip, const core_class& where, const task& t, bool values)
      : program_(p), chip_(chip), where_(where), task_(t), values_(values) {}

  std::vector<std::string> run() {
    check_head();
    for (const instruction& i : task_.body) {
      current_ = &i;
      std::visit([this](const auto& kind) { check(kind); }, i);
    }
    current_ = nullptr;
    if (depth_ > 0) say("{} loops without end", depth_);
    return std::move(issues_);
  }

 private:
  template <class... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    std::string text = fmt::format("task {} \"{}\": ", task_.id, task_.name);
    text += fmt::format(format, std::forward<Args>(args)...);
    if (current_ != nullptr) text += " in: " + to_text(*current_);
    issues_.push_back(std::move(text));
  }

  void check_head() {
    if (task_.id < 0 || task_.id >= chip_.task_ids) say("ids are 0..{}", chip_.task_ids - 1);
    if (task_.trigger) check_queue(program_.inputs, where_.inputs, "input", *task_.trigger, -1);
    if (task_.trigger && task_.active_at_start) say("a data task is activated by data, it cannot be active at start");
    if (task_.argument_address >= 0 && task_.argument_address + 4 > chip_.sram_bytes)
      say("argument at byte {} of {} B of SRAM", task_.argument_address, chip_.sram_bytes);
  }

  void check_queue(const std::vector<queue_binding>& bindings, const std::vector<std::uint32_t>& here, const char* kind,
                   queue_id queue, color_id color) {
    int colors = 0;
    bool found = false;
    for (const std::uint32_t b : here) {
      if (bindings[b].queue != queue) continue;
      ++colors;
      found |= bindings[b].color == color;
    }
    if (colors == 0)
      say("{} queue {} is bound to no color here", kind, queue);
    else if (color >= 0 && !found)
      say("{} queue {} is not bound to color {} here", kind, queue, color);
    else if (color < 0 && colors > 1)
      say("{} queue {} is bound to {} colors here, name one", kind, queue, colors);
  }

  void check_task_exists(task_id id) {
    const bool found = std::any_of(where_.tasks.begin(), where_.tasks.end(),
                                   [&](std::uint32_t n) { return program_.tasks[n].id == id; });
    if (!found) say("there is no task {} here", id);
  }

  void check_output(queue_id queue, color_id color) {
    check_queue(program_.outputs, where_.outputs, "output", queue, color);
  }

  // `last` is the index of the last element used, at iteration 0 of all loops.
  void check_sram(const operand& o, element_type type, std::int64_t elements) {
    const std::int64_t bytes = bytes_of(type);
    const std::int64_t distinct = o.wrap > 0 ? std::min<std::int64_t>(o.wrap, elements) : elements;
    const std::int64_t first = o.address.at(where_.example);
    const std::int64_t last = first + std::max<std::int64_t>(distinct - 1, 0) * o.stride * bytes;
    if (std::min(first, last) < 0 || std::max(first, last) + bytes > chip_.sram_bytes)
      say("vector at bytes {}..{} lies outside {} B of SRAM", std::min(first, last), std::max(first, last) + bytes - 1,
          chip_.sram_bytes);
    if (first % bytes != 0) say("address {} is no multiple of the {} B of an element", first, bytes);
    if (o.wrap < 0) say("a vector cannot repeat every {} elements", o.wrap);
  }

  void check_source(const operand& o, const vector_op& v, const char* which) {
    switch (o.where) {
      case operand::kind::none:
        say("operand {} is missing", which);
        break;
      case operand::kind::fabric_out:
        say("operand {} is an output queue, which cannot be read", which);
        break;
      case operand::kind::constant:
        break;
      case operand::kind::sram:
        check_sram(o, v.type, v.length.at(where_.example));
        break;
      case operand::kind::fabric_in:
        check_queue(program_.inputs, where_.inputs, "input", o.queue, o.color);
        break;
    }
  }

  void check_packed(const vector_op& v) {
    if (v.a.where != operand::kind::sram || v.a.stride != 1 || v.a.wrap != 0)
      return say("{} takes a packed SRAM vector", name(v.op));
    check_sram(v.a, element_type::int16, (v.length.at(where_.example) * packed_bits(v.op) + 15) / 16);
  }

  void check_destination(const vector_op& v) {
    switch (v.dst.where) {
      case operand::kind::fabric_out:
        check_output(v.dst.queue, v.dst.color);
        break;
      case operand::kind::sram:
        check_sram(v.dst, v.type, v.length.at(where_.example));
        break;
      case operand::kind::none:
      case operand::kind::constant:
      case operand::kind::fabric_in:
        say("the destination must be an SRAM vector or an output queue");
        break;
    }
    if (v.closing_control && v.dst.where != operand::kind::fabric_out)
      say("a closing control word needs an output queue as destination");
  }

  void check(const vector_op& v) {
    check_destination(v);
    if (packed_bits(v.op) != 0)
      check_packed(v);
    else
      check_source(v.a, v, "a");
    if (takes_one_source(v.op)) {
      if (v.b.where != operand::kind::none) say("{} takes one source", name(v.op));
    } else {
      check_source(v.b, v, "b");
    }
    if (v.a.where == operand::kind::fabric_in && v.b.where == operand::kind::fabric_in && v.a.queue == v.b.queue &&
        v.a.color == v.b.color)
      say("both sources are input queue {}", v.a.queue);
    if (v.op == opcode::multiply_accumulate && v.dst.where != operand::kind::sram)
      say("multiply_accumulate adds to an SRAM vector");
    if (is_special(v.op) && (v.type == element_type::int32 || v.type == element_type::int16))
      say("{} needs a floating point type", name(v.op));
    if (v.op == opcode::multiply_add) check_sram(sram(v.scalar_address), v.type, 1);
    if (v.kept_descriptors > std::min<std::int64_t>(3, chip_.core.vector_setup_cycles))
      say("an operation has three descriptors, not {}", v.kept_descriptors);
    if (v.thread && (*v.thread < 0 || *v.thread >= chip_.microthreads))
      say("microthreads are 0..{}", chip_.microthreads - 1);
    if (!v.thread && (v.activates || v.unblocks))
      say("a synchronous operation completes in line, activate after it instead");
    if (v.activates) check_task_exists(*v.activates);
    if (v.unblocks) check_task_exists(*v.unblocks);
  }
  void check(const scalar_work& s) {
    if (s.cycles < 0) say("negative work");
  }
  void check(const activate_task& a) {
    check_task_exists(a.task);
    if (!a.condition) return;
    check_sram(sram(a.condition->address), element_type::int16, 1);
    if (!values_ && !a.condition->assumed)
      say("this depends on data: run with values (wavelet engine), or add \"assumed yes\" or \"assumed no\"");
  }
  void check(const block_task& b) { check_task_exists(b.task); }
  void check(const unblock_task& u) { check_task_exists(u.task); }
  void check(const timestamp&) {}
  void check(const send_control& s) { check_output(s.queue, s.color); }
  void check(const begin_loop&) {
    if (++depth_ > 2) say("loops nest two deep at most");
  }
  void check(const end_loop&) {
    if (depth_ == 0)
      say("end of a loop that did not begin");
    else
      --depth_;
  }

  const program& program_;
  const fabric_chip& chip_;
  const core_class& where_;
  const task& task_;
  bool values_;
  const instruction* current_ = nullptr;
  int depth_ = 0;
  std::vector<std::string> issues_;
};

}  // namespace

std::vector<std::string> body_issues(const program& p, const fabric_chip& chip, const core_class& where, const task& t,
                                     bool values) {
  return body_check(p, chip, where, t, values).run();
}

}  // namespace scribeline::fabric
