// Vector operations: what a core computes. dst[i] = op(a[i], b[i]) for i in 0..length-1.
//
// Operands are vectors in the core's SRAM, streams from the fabric (an input queue), streams into the fabric (an output
// queue) or a constant. Elements of 16 bit travel two to a word; an odd length ends with a half-filled word, and the
// words of one stream belong to one operation each: the next operation starts with a new word.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "rtl_tlm/fabric/program/affine.h"
#include "rtl_tlm/fabric/program/control_word.h"

namespace scribeline::fabric {

using color_id = int;
using queue_id = int;
using task_id = int;
using microthread_id = int;

enum class opcode : std::uint8_t {
  copy,                 // dst = a
  add,                  // dst = a + b
  subtract,             // dst = a - b
  multiply,             // dst = a * b
  maximum,              // dst = max(a, b)
  minimum,              // dst = min(a, b)
  multiply_add,         // dst = a + b * scalar, the scalar is one SRAM element
  multiply_accumulate,  // dst = dst + a * b, dst in SRAM
  at_least,             // dst = a >= b ? 1 : 0
  exponential,          // dst = e^a, floating point types only, as those that follow
  reciprocal,           // dst = 1 / a
  reciprocal_root,      // dst = 1 / sqrt(a)
  logarithm,            // dst = ln(a)
  expand_8_bit,         // dst = a, integers of 8 bit in SRAM, packed from the low end of 16-bit elements on
  expand_4_bit,         // the same of 4 bit
};
inline constexpr opcode all_opcodes[] = {
    opcode::copy,      opcode::add,          opcode::subtract,     opcode::multiply,
    opcode::maximum,   opcode::minimum,      opcode::multiply_add, opcode::multiply_accumulate,
    opcode::at_least,  opcode::exponential,  opcode::reciprocal,   opcode::reciprocal_root,
    opcode::logarithm, opcode::expand_8_bit, opcode::expand_4_bit};
constexpr bool is_special(opcode op) {
  return op == opcode::exponential || op == opcode::reciprocal || op == opcode::reciprocal_root ||
         op == opcode::logarithm;
}
// Bits of a packed source element, 0 for other operations.
constexpr int packed_bits(opcode op) {
  return op == opcode::expand_8_bit ? 8 : op == opcode::expand_4_bit ? 4 : 0;
}
constexpr bool takes_one_source(opcode op) {
  return op == opcode::copy || is_special(op) || packed_bits(op) != 0;
}

enum class element_type : std::uint8_t { fp32, fp16, bf16, int32, int16 };
constexpr int bytes_of(element_type type) {
  return type == element_type::fp32 || type == element_type::int32 ? 4 : 2;
}
constexpr int elements_per_word(element_type type) {
  return 4 / bytes_of(type);
}

struct operand {
  enum class kind : std::uint8_t { none, sram, fabric_in, fabric_out, constant };
  kind where = kind::none;
  queue_id queue = 0;       // fabric_in, fabric_out
  color_id color = -1;      // of that queue; -1: the only one bound to it here
  affine address;           // sram: byte address of element 0
  std::int32_t stride = 1;  // sram: distance of elements, in elements
  std::int32_t wrap = 0;    // sram: element i is found at i mod wrap; 0: no wrap
  double value = 0;         // constant

  constexpr bool is_fabric() const { return where == kind::fabric_in || where == kind::fabric_out; }
};

constexpr operand sram(const affine& address, std::int32_t stride = 1) {
  operand o;
  o.where = operand::kind::sram;
  o.address = address;
  o.stride = stride;
  return o;
}
// The first `elements` elements again and again: a stream of vectors meets one vector in memory.
constexpr operand sram_repeated(const affine& address, std::int32_t elements) {
  operand o = sram(address);
  o.wrap = elements;
  return o;
}
constexpr operand fabric_in(queue_id queue, color_id color = -1) {
  operand o;
  o.where = operand::kind::fabric_in;
  o.queue = queue;
  o.color = color;
  return o;
}
constexpr operand fabric_out(queue_id queue, color_id color = -1) {
  operand o;
  o.where = operand::kind::fabric_out;
  o.queue = queue;
  o.color = color;
  return o;
}
constexpr operand constant(double value) {
  operand o;
  o.where = operand::kind::constant;
  o.value = value;
  return o;
}

// One vector operation. A destination of stride 0 collects: multiply_accumulate gives a scalar product, add with itself
// as first source a sum, element after element. Without a microthread it is synchronous: the task goes on when its last
// element is done. With one the task goes on at once, and the completion may activate or unblock a task. A length of
// zero or less completes without a step. At most two operands may be fabric_in (of different queues), one fabric_out.
struct vector_op {
  opcode op = opcode::copy;
  element_type type = element_type::fp32;
  operand dst, a, b;
  affine scalar_address;
  affine length;  // in elements
  // Of the three vector descriptors, those that the operation before it left loaded and right: set-up takes a cycle
  // less for each.
  std::uint8_t kept_descriptors = 0;
  std::optional<microthread_id> thread;
  std::optional<task_id> activates;
  std::optional<task_id> unblocks;
  std::optional<control_word> closing_control;  // one more word into the fabric_out stream, behind its data

  vector_op keeping(int descriptors) const {
    vector_op v = *this;
    v.kept_descriptors = static_cast<std::uint8_t>(descriptors);
    return v;
  }
  vector_op on_thread(microthread_id id) const {
    vector_op v = *this;
    v.thread = id;
    return v;
  }
  vector_op then_activate(task_id id) const {
    vector_op v = *this;
    v.activates = id;
    return v;
  }
  vector_op then_unblock(task_id id) const {
    vector_op v = *this;
    v.unblocks = id;
    return v;
  }
  vector_op then_control(control_word word) const {
    vector_op v = *this;
    v.closing_control = word;
    return v;
  }
};

inline vector_op copy(element_type type, const operand& dst, const operand& a, const affine& length) {
  vector_op v;
  v.type = type;
  v.dst = dst;
  v.a = a;
  v.length = length;
  return v;
}
inline vector_op unary(opcode op, element_type type, const operand& dst, const operand& a, const affine& length) {
  vector_op v = copy(type, dst, a, length);
  v.op = op;
  return v;
}
inline vector_op binary(opcode op, element_type type, const operand& dst, const operand& a, const operand& b,
                        const affine& length) {
  vector_op v = copy(type, dst, a, length);
  v.op = op;
  v.b = b;
  return v;
}
inline vector_op add(element_type type, const operand& dst, const operand& a, const operand& b, const affine& length) {
  return binary(opcode::add, type, dst, a, b, length);
}
// dst = a + b * sram[scalar_address]
inline vector_op multiply_add(element_type type, const operand& dst, const operand& a, const operand& b,
                              const affine& scalar_address, const affine& length) {
  vector_op v = binary(opcode::multiply_add, type, dst, a, b, length);
  v.scalar_address = scalar_address;
  return v;
}

std::string_view name(opcode op);
std::string_view name(element_type type);

}  // namespace scribeline::fabric
