// Brings the contributions to one group's reductions together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rtl_tlm/link/ring_queue.h"
#include "rtl_tlm/switch/frame_store.h"

namespace scribeline::switching {

// All contributions to one result, by member.
struct reduction {
  std::uint64_t sequence = 0;
  std::uint64_t sum = 0;
  std::vector<frame_slot> contributions;
};

// Members contribute in the same order, so the heads of their queues are what is combined.
class reducer {
 public:
  explicit reducer(std::vector<int> member_ports = {});

  // Takes a contribution of the member behind `port`; the result if it was the last one. Throws std::logic_error for
  // contributions that do not belong together, and for a port that is no member.
  std::optional<reduction> add(int port, frame_slot slot, std::uint64_t sequence, std::uint64_t value);

  // Which members are missing for the next result; empty when nothing waits.
  std::string why_blocked() const;

 private:
  struct waiting {
    frame_slot slot = -1;
    std::uint64_t sequence = 0;
    std::uint64_t value = 0;
  };

  std::vector<int> members_;
  std::vector<int> member_of_port_;  // -1: none
  std::vector<link::ring_queue<waiting>> queues_;
  std::size_t present_ = 0;  // members whose queue has a head
};

}  // namespace scribeline::switching
