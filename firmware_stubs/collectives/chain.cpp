#include "firmware_stubs/collectives/chain.h"

#include <cstdlib>

namespace scribeline::collectives {

using namespace fabric;

namespace {

// `n` positions from first on, `step` (of either sign) apart.
region stepped(const lines& on, int first, int n, int step) {
  return step > 0 ? on.at(first, n, step) : on.at(first + (n - 1) * step, n, -step);
}

int count_up_to(int first, int last, int step) {
  return last < first ? 0 : (last - first) / step + 1;
}

// Combine what arrives on `color`, send the result on the other one.
void add_relays(const phase& in, const region& where, const chain_channel& channel, color_id color, color_id other,
                const vector_spec& v, std::optional<task_id> then, relay_kind how) {
  const operand own = sram(v.address);
  const operand arriving = fabric_in(channel.input, color);
  const operand leaving = fabric_out(channel.output, other);
  if (how == relay_kind::streaming)
    return in.add_operation(where, "combine and send",
                            binary(v.op, v.type, leaving, arriving, own, v.elements).on_thread(channel.thread), then);
  std::vector<instruction> body = in.begin();
  body.push_back(binary(v.op, v.type, own, arriving, own, v.elements));
  body.push_back(copy(v.type, leaving, own, v.elements));
  if (then) body.push_back(activate_task{*then});
  in.add_task(where, "combine, then send", std::move(body));
}

}  // namespace

std::vector<region> chain_path::at(int first, int last, int step) const {
  std::vector<region> regions;
  const int n = count_up_to(first, last, step);
  if (n == 0) return regions;
  if (repeats <= n) {
    for (int g = 0; g < repeats; ++g)
      regions.push_back(stepped(on, position(first) + g * period, n, step * stride));
  } else {
    for (int i = 0; i < n; ++i)
      regions.push_back(on.at(position(first + i * step), repeats, period));
  }
  return regions;
}

std::vector<region> chain_path::between_pairs(int first, int last) const {
  std::vector<region> regions;
  const int width = std::abs(stride) - 1;
  const int pairs = count_up_to(first, last, 2);
  if (width == 0 || pairs == 0) return regions;
  const int sign = stride > 0 ? 1 : -1;
  if (pairs <= width) {
    for (int i = first; i <= last; i += 2)
      regions.push_back(stepped(on, position(i) + sign, width, sign));
  } else {
    for (int j = 1; j <= width; ++j)
      regions.push_back(stepped(on, position(first) + sign * j, pairs, 2 * stride));
  }
  return regions;
}

void add_chain(const phase& in, const chain_path& path, const chain_channel& channel, const vector_spec& v,
               std::optional<task_id> then, relay_kind how) {
  program& p = in.p;
  const operand own = sram(v.address);
  for (int parity = 0; parity < 2; ++parity) {
    const color_id color = channel.colors[static_cast<std::size_t>(parity)];
    const color_id other = channel.colors[static_cast<std::size_t>(1 - parity)];
    for (const region& r : path.at(parity, path.nodes - 2, 2))
      p.add_route(r, color, path.back(), port::ramp).bind_input(r, channel.input, color);
    for (const region& r : path.between_pairs(parity, path.nodes - 2))
      p.add_route(r, color, path.back(), path.ahead());
    for (const region& r : path.at(parity + 1, path.nodes - 1, 2))
      p.add_route(r, color, port::ramp, path.ahead()).bind_output(r, channel.output, color);
    // Nodes that receive on `color` send on the other one.
    const int first = parity == 0 ? 2 : 1;
    for (const region& r : path.at(first, path.nodes - 2, 2))
      add_relays(in, r, channel, color, other, v, then, how);
  }
  if (path.nodes < 2) return;
  const color_id last_color = channel.colors[static_cast<std::size_t>(path.nodes % 2)];
  for (const region& r : path.at(path.nodes - 1, path.nodes - 1))
    in.add_operation(r, "send",
                     copy(v.type, fabric_out(channel.output, last_color), own, v.elements).on_thread(channel.thread),
                     then);
}

vector_op chain_root_operation(const chain_channel& channel, const vector_spec& v) {
  const operand own = sram(v.address);
  return binary(v.op, v.type, own, fabric_in(channel.input, channel.colors[0]), own, v.elements)
      .on_thread(channel.thread);
}

}  // namespace scribeline::collectives
