#include "firmware_stubs/collectives/ring.h"

#include <stdexcept>

namespace scribeline::collectives {

using namespace fabric;

void add_ring_all_reduce(const phase& in, const lines& on, const vector_spec& v) {
  const int length = on.length();
  if (length == 1) return in.add_nothing(on.root());
  if (v.elements % length != 0)
    throw std::invalid_argument(fmt::format("{} elements do not divide into {} parts", v.elements, length));
  vector_spec part = v;
  part.elements = v.elements / length;
  require_whole_words(part, "parts");
  const folded_ring r(in.p, in.from, on);
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
  if (length == 1) return in.add_nothing(on.root());
  const vector_spec& v = spec.chunk;
  require_whole_words(v, "parts");
  const int bytes = v.bytes();
  const folded_ring r(in.p, in.from, on);
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
