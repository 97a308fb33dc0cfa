// A domain whose ranks note what arrives.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "platforms/scale_up_domain/scale_up_domain.h"

namespace scribeline::platforms {

struct noted {
  int rank;
  sue::arrival what;
  sc_core::sc_time at;
};

class watched_domain {
 public:
  explicit watched_domain(const scale_up_config& config) : net("net", config) {
    for (int r = 0; r < net.ranks(); ++r)
      net.rank(r).on_arrival([this, r](const sue::arrival& a) {
        arrivals.push_back({r, a, sc_core::sc_time_stamp()});
      });
  }
  void run() {
    net.run(sc_core::sc_time(1, sc_core::SC_MS), [] { return false; });
  }

  scale_up_domain net;
  std::vector<noted> arrivals;
};

inline double ns(const sc_core::sc_time& t) {
  return t.to_seconds() * 1e9;
}

}  // namespace scribeline::platforms
