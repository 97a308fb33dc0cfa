#include "platforms/scale_up_domain/scale_up_domain.h"

#include <numeric>

#include "rtl_tlm/base/error.h"

namespace scribeline::platforms {

namespace {

const scale_up_config& checked(const scale_up_config& config) {
  const std::string problem = config.problem();
  if (!problem.empty()) throw base::bad_input(problem);
  return config;
}

}  // namespace

scale_up_domain::scale_up_domain(const sc_core::sc_module_name& name, const scale_up_config& config)
    : sc_module(name), config_(checked(config)), ranks_("rank"), planes_("plane") {
  const link::link_config link = domain_link(config_);
  const sue::endpoint_config endpoint = domain_endpoint(config_);
  const switching::switch_config network_switch = domain_switch(config_);
  ranks_.init(static_cast<std::size_t>(config_.ranks), [&](const char* rank_name, std::size_t r) {
    return new sue::endpoint(rank_name, static_cast<int>(r), endpoint, link);
  });
  planes_.init(static_cast<std::size_t>(config_.planes), [&](const char* plane_name, std::size_t) {
    return new switching::cut_through_switch(plane_name, network_switch, link);
  });
  std::vector<int> all(static_cast<std::size_t>(config_.ranks));
  std::iota(all.begin(), all.end(), 0);
  for (int p = 0; p < config_.planes; ++p) {
    for (int r = 0; r < config_.ranks; ++r) {
      link::connect(ranks_[r].ports[p], planes_[p].ports[r]);
      planes_[p].set_route(r, r);
    }
    planes_[p].set_group(everybody, all);
    planes_[p].on_link_down([this, p](int port) { lose_link(port, p); });
  }
}

int scale_up_domain::add_group(const std::vector<int>& members) {
  const int group = groups_++;
  for (switching::cut_through_switch& p : planes_)
    p.set_group(group, members);
  return group;
}

void scale_up_domain::take_link_down(int rank, int plane) {
  ranks_[rank].ports[plane].take_down();
}

void scale_up_domain::take_plane_down(int plane) {
  for (int r = 0; r < config_.ranks; ++r)
    take_link_down(r, plane);
}

void scale_up_domain::lose_link(int rank, int plane) {
  for (sue::endpoint& other : ranks_)
    if (other.rank() != rank) other.lose_path(rank, plane);
}

bool scale_up_domain::is_idle() const {
  for (const sue::endpoint& r : ranks_)
    if (!r.is_idle()) return false;
  return true;
}

std::string scale_up_domain::why_blocked() const {
  std::string reasons;
  for (const sue::endpoint& r : ranks_)
    reasons += r.why_blocked();
  for (const switching::cut_through_switch& p : planes_)
    reasons += p.why_blocked();
  return reasons;
}

void scale_up_domain::run(const sc_core::sc_time& slice, const std::function<bool()>& stop) {
  while (!stop()) {
    if (!sc_core::sc_pending_activity()) {
      if (is_idle()) return;
      throw base::no_progress("transfers are left and nothing moves any more:\n" + why_blocked());
    }
    sc_core::sc_start(slice);
  }
}

}  // namespace scribeline::platforms
