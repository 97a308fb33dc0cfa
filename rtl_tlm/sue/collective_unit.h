// An endpoint's part in reductions that the network performs: cuts vectors into contributions and collects the results.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "rtl_tlm/link/ring_queue.h"
#include "rtl_tlm/sue/endpoint_config.h"
#include "rtl_tlm/sue/plane_set.h"
#include "rtl_tlm/sue/transfer.h"

namespace scribeline::sue {

// One PDU of a contribution.
struct contribution {
  int group = 0;
  std::uint64_t sequence = 0;
  std::int64_t bytes = 0;
  std::uint64_t value = 0;
};

// Chunks of an operation are dealt to the planes in turn. The sequence numbers of a group count its chunks, the same
// on every member.
class collective_unit {
 public:
  collective_unit(const endpoint_config& config, int planes);

  // All members must see the same planes in use.
  void begin(int group, base::bytes size, std::uint64_t tag, std::uint64_t value, const sc_core::sc_time& began_at,
             plane_set in_use);

  bool may_send(int plane) const { return !to_send_[plane].empty(); }
  contribution take(int plane);

  // A result that came from a plane; the arrival that it completes. Throws std::logic_error for one that does not
  // belong here: repeated, out of order, or of a value that the other chunks of its vector do not have.
  std::optional<arrival> result(const contribution& r, int plane);

  bool is_idle() const { return open_ == 0; }
  // One line per unfinished operation that is first in its group.
  std::string why_blocked(const std::string& own_name) const;

 private:
  struct vector_in_work {
    int group = 0;
    base::bytes size;
    std::uint64_t tag = 0;
    std::uint64_t value = 0;
    sc_core::sc_time began_at;
    std::uint64_t first_sequence = 0;
    std::int64_t chunks = 0;
    std::int64_t sent = 0;
    std::int64_t received = 0;
    std::uint64_t sum = 0;  // of its first result
  };
  struct group_state {
    std::uint64_t next_sequence = 0;
    std::deque<vector_in_work> vectors;                     // in order of their begin
    std::vector<std::optional<std::uint64_t>> last_result;  // sequence, by plane
  };
  // Chunks chunk, chunk + stride, ... of a vector.
  struct share {
    int group = 0;
    std::uint64_t first_sequence = 0;
    std::int64_t chunk = 0;
    std::int64_t stride = 1;
  };

  group_state& state(int group);
  static vector_in_work& vector_of(group_state& g, std::uint64_t sequence);
  std::int64_t chunk_bytes(const vector_in_work& v, std::int64_t chunk) const;

  const endpoint_config& config_;
  int planes_;
  std::vector<group_state> groups_;
  std::vector<link::ring_queue<share>> to_send_;  // by plane
  std::int64_t open_ = 0;
};

}  // namespace scribeline::sue
