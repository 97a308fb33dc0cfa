#include "rtl_tlm/switch/reducer.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace scribeline::switching {

reducer::reducer(std::vector<int> member_ports) : members_(std::move(member_ports)), queues_(members_.size()) {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const auto port = static_cast<std::size_t>(members_[m]);
    if (port >= member_of_port_.size()) member_of_port_.resize(port + 1, -1);
    member_of_port_[port] = static_cast<int>(m);
  }
}

std::optional<reduction> reducer::add(int port, frame_slot slot, std::uint64_t sequence, std::uint64_t value) {
  if (static_cast<std::size_t>(port) >= member_of_port_.size() || member_of_port_[port] < 0)
    throw std::logic_error(fmt::format("port {} is no member of the group", port));
  link::ring_queue<waiting>& own = queues_[member_of_port_[port]];
  if (own.empty()) ++present_;
  own.push_back({slot, sequence, value});
  if (present_ < members_.size()) return std::nullopt;

  reduction done;
  done.sequence = queues_.front().front().sequence;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const waiting head = queues_[m].front();
    queues_[m].pop_front();
    if (queues_[m].empty()) --present_;
    if (head.sequence != done.sequence)
      throw std::logic_error(fmt::format("port {} contributes to {}, port {} to {}: members must keep one order",
                                         members_[m], head.sequence, members_.front(), done.sequence));
    done.sum += head.value;
    done.contributions.push_back(head.slot);
  }
  return done;
}

std::string reducer::why_blocked() const {
  if (present_ == 0) return {};
  std::string missing;
  for (std::size_t m = 0; m < members_.size(); ++m)
    if (queues_[m].empty()) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", members_[m]);
  return fmt::format("{} of {} members have contributed, missing are those behind ports {}", present_, members_.size(),
                     missing);
}

}  // namespace scribeline::switching
