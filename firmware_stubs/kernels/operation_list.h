// A body of vector operations whose operands are of no interest: only how many there are, of which kind and length.
// Private to the kernels library.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "firmware_stubs/kernels/core_work.h"

namespace scribeline::kernels {

class operation_list {
 public:
  static constexpr fabric::element_type type = fabric::element_type::fp16;

  std::vector<fabric::instruction>& body() { return body_; }

  // Runs `add` in a loop; once without one.
  template <class Add>
  void repeat(std::int64_t times, Add&& add) {
    if (times > 1) body_.push_back(fabric::begin_loop{static_cast<int>(times)});
    add();
    if (times > 1) body_.push_back(fabric::end_loop{});
  }
  void unary(fabric::opcode op, int n) {
    body_.push_back(fabric::unary(op, type, fabric::sram(0), fabric::sram(0), n));
  }
  void binary(fabric::opcode op, int n) {
    body_.push_back(fabric::binary(op, type, fabric::sram(0), fabric::sram(0), fabric::sram(0), n));
  }
  void binary(std::initializer_list<fabric::opcode> ops, int n) {
    for (const fabric::opcode op : ops)
      binary(op, n);
  }
  // A vector times a scalar, added to another one.
  void multiply_add(int n, fabric::element_type of = type) {
    body_.push_back(fabric::multiply_add(of, fabric::sram(0), fabric::sram(0), fabric::sram(0), 0, n));
  }
  // Sum or maximum of a vector.
  void collect(fabric::opcode op, int n) {
    body_.push_back(fabric::copy(type, fabric::sram(0), fabric::sram(0), 1));
    body_.push_back(fabric::binary(op, type, fabric::sram(0, 0), fabric::sram(0, 0), fabric::sram(0), n));
  }

 private:
  std::vector<fabric::instruction> body_;
};

}  // namespace scribeline::kernels
