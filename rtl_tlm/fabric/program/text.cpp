#include <fmt/format.h>

#include "rtl_tlm/fabric/program/affine.h"
#include "rtl_tlm/fabric/program/geometry.h"
#include "rtl_tlm/fabric/program/vector_op.h"

namespace scribeline::fabric {

std::string to_string(port p) {
  switch (p) {
    case port::north:
      return "north";
    case port::east:
      return "east";
    case port::south:
      return "south";
    case port::west:
      return "west";
    case port::ramp:
      return "ramp";
  }
  return "?";
}

std::string to_string(port_set set) {
  std::string text;
  for (int i = 0; i < ports; ++i)
    if (set.contains(static_cast<port>(i))) text += (text.empty() ? "" : "+") + to_string(static_cast<port>(i));
  return text.empty() ? "nothing" : text;
}

std::string to_string(coordinate c) {
  return fmt::format("(column {}, row {})", c.column, c.row);
}

namespace {

std::string axis_text(const char* name, int first, int count, int step) {
  if (count == 1) return fmt::format("{} {}", name, first);
  const int last = first + (count - 1) * step;
  return step == 1 ? fmt::format("{}s {}..{}", name, first, last)
                   : fmt::format("{}s {}..{} step {}", name, first, last, step);
}

void append_term(std::string& text, std::int64_t factor, const char* variable) {
  if (factor == 0) return;
  if (text.empty())
    text = factor < 0 ? "-" : "";
  else
    text += factor < 0 ? " - " : " + ";
  const std::int64_t magnitude = factor < 0 ? -factor : factor;
  if (*variable == '\0')
    text += fmt::format("{}", magnitude);
  else
    text += magnitude == 1 ? std::string(variable) : fmt::format("{} {}", magnitude, variable);
}

}  // namespace

std::string to_string(const region& r) {
  if (r.empty()) return "no cores";
  return axis_text("column", r.first.column, r.columns, r.column_step) + ", " +
         axis_text("row", r.first.row, r.rows, r.row_step);
}

std::string to_string(const affine& a) {
  std::string inner;
  append_term(inner, a.per_column, "column");
  append_term(inner, a.per_row, "row");
  append_term(inner, a.per_iteration[0], "k");
  append_term(inner, a.per_iteration[1], "outer k");
  append_term(inner, a.modulus > 0 ? a.offset : std::int64_t{a.offset} + a.base, "");
  if (inner.empty()) inner = "0";
  if (a.modulus == 0) return inner;
  const std::string wrapped = fmt::format("({}) mod {}", inner, a.modulus);
  return a.base == 0 ? wrapped : fmt::format("{} + {}", a.base, wrapped);
}

std::string_view name(opcode op) {
  switch (op) {
    case opcode::copy:
      return "copy";
    case opcode::add:
      return "add";
    case opcode::subtract:
      return "subtract";
    case opcode::multiply:
      return "multiply";
    case opcode::maximum:
      return "maximum";
    case opcode::minimum:
      return "minimum";
    case opcode::multiply_add:
      return "multiply_add";
    case opcode::multiply_accumulate:
      return "multiply_accumulate";
    case opcode::at_least:
      return "at_least";
    case opcode::exponential:
      return "exponential";
    case opcode::reciprocal:
      return "reciprocal";
    case opcode::reciprocal_root:
      return "reciprocal_root";
    case opcode::logarithm:
      return "logarithm";
    case opcode::expand_8_bit:
      return "expand_8_bit";
    case opcode::expand_4_bit:
      return "expand_4_bit";
  }
  return "?";
}

std::string_view name(element_type type) {
  switch (type) {
    case element_type::fp32:
      return "fp32";
    case element_type::fp16:
      return "fp16";
    case element_type::bf16:
      return "bf16";
    case element_type::int32:
      return "int32";
    case element_type::int16:
      return "int16";
  }
  return "?";
}

}  // namespace scribeline::fabric
