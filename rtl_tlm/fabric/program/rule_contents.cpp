#include "rtl_tlm/fabric/program/rule_contents.h"

#include <cstdint>
#include <type_traits>

namespace scribeline::fabric {
namespace {

class byte_writer {
 public:
  template <class Number>
  void add(const Number& number) {
    static_assert(std::is_arithmetic_v<Number> || std::is_enum_v<Number>);
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  template <class... Numbers>
  void add(const Numbers&... numbers) {
    (add(numbers), ...);
  }
  void add(const std::string& text) {
    add(text.size());
    bytes_ += text;
  }
  template <class T>
  void add(const std::optional<T>& optional) {
    add(optional.has_value());
    if (optional) add(*optional);
  }
  void add(control_word word) { add(word.bits()); }
  void add(const affine& a) {
    add(a.base, a.offset, a.per_column, a.per_row, a.per_iteration[0], a.per_iteration[1], a.modulus);
  }
  void add(const operand& o) {
    add(o.where, o.queue, o.color, o.address);
    add(o.stride, o.wrap, o.value);
  }
  void add(const vector_op& v) {
    add(v.op, v.type, v.dst, v.a, v.b, v.scalar_address, v.length, v.kept_descriptors, v.thread, v.activates,
        v.unblocks, v.closing_control);
  }
  void add(const scalar_work& i) { add(i.cycles); }
  void add(const activate_task& i) { add(i.task); }
  void add(const block_task& i) { add(i.task); }
  void add(const unblock_task& i) { add(i.task); }
  void add(const timestamp& i) { add(i.mark); }
  void add(const send_control& i) { add(i.queue, i.word, i.color); }
  void add(const begin_loop& i) { add(i.count); }
  void add(const end_loop&) {}

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace

std::string contents_of(const route& r) {
  byte_writer bytes;
  bytes.add(r.color, r.ring);
  for (const route_position& position : r.positions)
    bytes.add(position.receive.bits(), position.transmit.bits());
  return bytes.take();
}

std::string contents_of(const queue_binding& b) {
  byte_writer bytes;
  bytes.add(b.queue, b.color);
  return bytes.take();
}

std::string contents_of(const task& t) {
  byte_writer bytes;
  bytes.add(t.id, t.name, t.priority, t.active_at_start, t.blocked_at_start, t.trigger, t.argument_address);
  for (const instruction& i : t.body) {
    bytes.add(i.index());
    std::visit([&](const auto& kind) { bytes.add(kind); }, i);
  }
  return bytes.take();
}

}  // namespace scribeline::fabric
