#include "rtl_tlm/sue/collective_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace scribeline::sue {

collective_unit::collective_unit(const endpoint_config& config, int planes)
    : config_(config), planes_(planes), to_send_(static_cast<std::size_t>(planes)) {}

collective_unit::group_state& collective_unit::state(int group) {
  if (static_cast<std::size_t>(group) >= groups_.size()) groups_.resize(static_cast<std::size_t>(group) + 1);
  group_state& g = groups_[group];
  if (g.last_result.empty()) g.last_result.resize(static_cast<std::size_t>(planes_));
  return g;
}

void collective_unit::begin(int group, base::bytes size, std::uint64_t tag, std::uint64_t value,
                            const sc_core::sc_time& began_at, plane_set in_use) {
  group_state& g = state(group);
  vector_in_work v;
  v.group = group;
  v.size = size;
  v.tag = tag;
  v.value = value;
  v.began_at = began_at;
  v.first_sequence = g.next_sequence;
  v.chunks = base::ceil_div(size.value(), config_.pdu_bytes);
  g.next_sequence += static_cast<std::uint64_t>(v.chunks);
  for (int i = 0; i < in_use.size() && i < v.chunks; ++i)
    to_send_[in_use.at(i)].push_back({group, v.first_sequence, i, in_use.size()});
  g.vectors.push_back(v);
  ++open_;
}

std::int64_t collective_unit::chunk_bytes(const vector_in_work& v, std::int64_t chunk) const {
  return std::min(config_.pdu_bytes, v.size.value() - chunk * config_.pdu_bytes);
}

collective_unit::vector_in_work& collective_unit::vector_of(group_state& g, std::uint64_t sequence) {
  for (vector_in_work& v : g.vectors)
    if (sequence >= v.first_sequence && sequence - v.first_sequence < static_cast<std::uint64_t>(v.chunks)) return v;
  throw std::logic_error(fmt::format("chunk {} belongs to no reduction in work", sequence));
}

contribution collective_unit::take(int plane) {
  share& s = to_send_[plane].front();
  vector_in_work& v = vector_of(groups_[s.group], s.first_sequence);
  contribution c;
  c.group = s.group;
  c.sequence = s.first_sequence + static_cast<std::uint64_t>(s.chunk);
  c.bytes = chunk_bytes(v, s.chunk);
  c.value = v.value;
  ++v.sent;
  s.chunk += s.stride;
  if (s.chunk >= v.chunks) to_send_[plane].pop_front();
  return c;
}

std::optional<arrival> collective_unit::result(const contribution& r, int plane) {
  group_state& g = state(r.group);
  std::optional<std::uint64_t>& last = g.last_result[plane];
  if (last && r.sequence <= *last)
    throw std::logic_error(
        fmt::format("the result of chunk {} of group {} came behind that of chunk {}", r.sequence, r.group, *last));
  last = r.sequence;
  vector_in_work& v = vector_of(g, r.sequence);
  if (v.received == 0) v.sum = r.value;
  if (r.value != v.sum)
    throw std::logic_error(
        fmt::format("chunks of one vector of group {} have the sums {} and {}", r.group, v.sum, r.value));
  if (++v.received < v.chunks) return std::nullopt;

  arrival a;
  a.kind = transfer_kind::reduced;
  a.source = r.group;
  a.size = v.size;
  a.tag = v.tag;
  a.began_at = v.began_at;
  a.value = v.sum;
  // Vectors may finish out of order: planes differ.
  g.vectors.erase(std::find_if(g.vectors.begin(), g.vectors.end(), [&v](const auto& one) { return &one == &v; }));
  --open_;
  return a;
}

std::string collective_unit::why_blocked(const std::string& own_name) const {
  std::string reasons;
  for (const group_state& g : groups_) {
    if (g.vectors.empty()) continue;
    const vector_in_work& v = g.vectors.front();
    reasons += fmt::format(
        "{}: the all-reduce of {} B over group {} (tag {}) has sent {} of {} chunks and got {} results back\n",
        own_name, v.size.value(), v.group, v.tag, v.sent, v.chunks, v.received);
  }
  return reasons;
}

}  // namespace scribeline::sue
