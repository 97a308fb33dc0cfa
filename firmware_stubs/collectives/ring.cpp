#include "firmware_stubs/collectives/ring.h"

#include <stdexcept>

namespace scribeline::collectives {

using namespace fabric;

namespace {

// The routes and queues of a folded ring on all lines.
class ring {
 public:
  ring(const phase& in, const lines& on)
      : in_(in),
        on_(on),
        length_(on.length()),
        input_(in.from.input()),
        output_(in.from.output()),
        thread_(in.from.thread()) {
    for (auto& colors : colors_)
      for (color_id& color : colors)
        color = in.from.color();
    for (int rank = 0; rank < length_; ++rank)
      add_edge(rank);
  }

  operand receive(int rank) const { return fabric_in(input_, color_of((rank + length_ - 1) % length_)); }
  operand send(int rank) const { return fabric_out(output_, color_of(rank)); }
  microthread_id thread() const { return thread_; }

  // address + (bytes * (rank + shift - iteration) mod bytes * length) for the positions of one parity.
  affine chunk(int parity, int address, int bytes, int shift) const {
    const affine rank_times_bytes =
        parity == 0 ? on_.position_times(bytes / 2) : on_.position_times(-bytes / 2, bytes * length_ - bytes / 2);
    affine a = rank_times_bytes.with_iteration(-bytes);
    a.offset = a.base + shift * bytes;
    a.base = address;
    a.modulus = bytes * length_;
    return a;
  }

 private:
  // The color of the edge from a rank to the next one: by direction, alternating along it.
  color_id color_of(int rank) const {
    const int from = ring_position(rank, length_);
    const int to = ring_position((rank + 1) % length_, length_);
    return colors_[to > from ? 0 : 1][static_cast<std::size_t>(from / 2 % 2)];
  }

  void add_edge(int rank) {
    const int from = ring_position(rank, length_);
    const int to = ring_position((rank + 1) % length_, length_);
    const color_id color = color_of(rank);
    const port ahead = to > from ? on_.away() : on_.toward();
    program& p = in_.p;
    p.add_route(on_.at(from), color, port::ramp, ahead).bind_output(on_.at(from), output_, color);
    p.add_route(on_.at(to), color, opposite(ahead), port::ramp).bind_input(on_.at(to), input_, color);
    if (to - from == 2 || from - to == 2) p.add_route(on_.at((from + to) / 2), color, opposite(ahead), ahead);
  }

  const phase& in_;
  lines on_;
  int length_;
  std::array<std::array<color_id, 2>, 2> colors_{};
  queue_id input_;
  queue_id output_;
  microthread_id thread_;
};

void require_whole_words(const vector_spec& v) {
  if (v.bytes() % 4 != 0)
    throw std::invalid_argument(
        fmt::format("parts of {} {} elements do not fill whole words", v.elements, name(v.type)));
}

void go_on(std::vector<instruction>& body, std::optional<task_id> next) {
  if (next) body.push_back(activate_task{*next});
}

void add_nothing(const phase& in, const lines& on) {
  std::vector<instruction> body = in.begin();
  go_on(body, in.next.root);
  in.add_task(on.root(), "nothing to do", std::move(body));
}

}  // namespace

void add_ring_all_reduce(const phase& in, const lines& on, const vector_spec& v) {
  const int length = on.length();
  if (length == 1) return add_nothing(in, on);
  if (v.elements % length != 0)
    throw std::invalid_argument(fmt::format("{} elements do not divide into {} parts", v.elements, length));
  vector_spec part = v;
  part.elements = v.elements / length;
  require_whole_words(part);
  const ring r(in, on);
  for (int rank = 0; rank < length; ++rank) {
    const int position = ring_position(rank, length);
    const auto chunk = [&](int shift) { return sram(r.chunk(position % 2, v.address, part.bytes(), shift)); };
    std::vector<instruction> body = in.begin();
    // Step k: sends part rank - k, combines part rank - k - 1.
    body.push_back(begin_loop{length - 1});
    body.push_back(copy(v.type, r.send(rank), chunk(0), part.elements).on_thread(r.thread()));
    body.push_back(binary(v.op, v.type, chunk(-1), r.receive(rank), chunk(-1), part.elements));
    body.push_back(end_loop{});
    // Part rank + 1 is complete here. Step k: sends part rank + 1 - k, receives part rank - k.
    body.push_back(begin_loop{length - 1});
    body.push_back(copy(v.type, r.send(rank), chunk(1), part.elements).on_thread(r.thread()));
    body.push_back(copy(v.type, chunk(0), r.receive(rank), part.elements));
    body.push_back(end_loop{});
    go_on(body, position == 0 ? in.next.root : in.next.others);
    in.add_task(on.at(position), "ring all-reduce", std::move(body));
  }
}

void add_all_to_all(const phase& in, const lines& on, const all_to_all_spec& spec) {
  const int length = on.length();
  if (length == 1) return add_nothing(in, on);
  const vector_spec& v = spec.chunk;
  require_whole_words(v);
  const int bytes = v.bytes();
  const ring r(in, on);
  // Step k = 0, 1, ...: chunks for the cores k + 1, k + 2, ... ranks after the one they started from.
  const int buffer = bytes * length;
  affine sent;
  sent.base = spec.staging_address;
  sent.per_iteration = {buffer, 0};
  sent.modulus = 2 * buffer;
  affine received = sent;
  received.offset = buffer;
  const affine result = affine(spec.result_address + bytes).with_iteration(bytes);
  const affine sent_elements = affine((length - 1) * v.elements).with_iteration(-v.elements);
  const affine kept_elements = affine((length - 2) * v.elements).with_iteration(-v.elements);
  for (int rank = 0; rank < length; ++rank) {
    const int position = ring_position(rank, length);
    std::vector<instruction> body = in.begin();
    body.push_back(copy(v.type, sram(spec.staging_address), sram(v.address + bytes), (length - 1) * v.elements));
    body.push_back(begin_loop{length - 1});
    body.push_back(copy(v.type, r.send(rank), sram(sent), sent_elements).on_thread(r.thread()));
    body.push_back(copy(v.type, sram(result), r.receive(rank), v.elements));
    body.push_back(copy(v.type, sram(received), r.receive(rank), kept_elements));
    body.push_back(end_loop{});
    go_on(body, position == 0 ? in.next.root : in.next.others);
    in.add_task(on.at(position), "all-to-all", std::move(body));
  }
}

}  // namespace scribeline::collectives
