#include "firmware_stubs/network_collectives/dense_collectives.h"

#include <algorithm>

namespace scribeline::network_collectives {

namespace {

using accelerator::scale_up_config;

// Bytes per nanosecond.
double rate(const scale_up_config& n) {
  return n.gbytes_per_s * n.payload_share * n.collective_share;
}

struct considered {
  bool staged = true;    // the library's own kernels
  bool streamed = true;  // chunks through pipelines
};

considered kinds_for(const scale_up_config& network, std::int64_t ranks, double bytes) {
  const std::int64_t limit = ranks == 2 ? network.staged_bytes_pair : network.staged_bytes_group;
  if (limit == 0) return {};
  const bool staged = bytes <= static_cast<double>(limit);
  return {staged, !staged};
}

}  // namespace

const char* to_string(algorithm a) {
  switch (a) {
    case algorithm::one_shot:
      return "one-shot";
    case algorithm::two_shot:
      return "two-shot";
    case algorithm::ring:
      return "ring";
    case algorithm::in_network:
      return "in-network";
    case algorithm::direct:
      return "direct";
  }
  return "";
}

std::vector<option> all_reduce_options(const scale_up_config& network, std::int64_t ranks, double bytes) {
  if (ranks <= 1) return {{}};
  const double n = static_cast<double>(ranks);
  const double latency = network.one_way_ns;
  const double start = network.start_ns;
  const double phases = network.start_ns + network.phase_ns;
  const considered kinds = kinds_for(network, ranks, bytes);
  std::vector<option> options;
  const auto add = [&](algorithm how, double fixed_ns, double sent) {
    options.push_back({how, fixed_ns + sent / rate(network), sent});
  };
  if (kinds.staged) {
    add(algorithm::one_shot, start + latency, (n - 1) * bytes);
    add(algorithm::two_shot, phases + 2 * latency, 2 * (n - 1) / n * bytes);
  }
  if (kinds.streamed) {
    add(algorithm::ring, phases + 2 * (n - 1) * latency, 2 * (n - 1) / n * bytes);
    if (network.reduces_in_switch) add(algorithm::in_network, phases + 2 * latency, (1 + 1 / n) * bytes);
  }
  return options;
}

std::vector<option> gather_options(const scale_up_config& network, std::int64_t ranks, double bytes) {
  if (ranks <= 1) return {{}};
  const double n = static_cast<double>(ranks);
  const considered kinds = kinds_for(network, ranks, bytes);
  const double sent = (n - 1) / n * bytes;
  std::vector<option> options;
  if (kinds.staged) {
    options.push_back({algorithm::direct, network.start_ns + network.one_way_ns + sent / rate(network), sent});
  }
  if (kinds.streamed) {
    const double fixed = network.start_ns + network.phase_ns + (n - 1) * network.one_way_ns;
    options.push_back({algorithm::ring, fixed + sent / rate(network), sent});
  }
  return options;
}

option fastest(const std::vector<option>& options) {
  return *std::min_element(options.begin(), options.end(),
                           [](const option& a, const option& b) { return a.ns < b.ns; });
}

double transfer_ns(const scale_up_config& network, double bytes) {
  return network.start_ns + network.one_way_ns + bytes / (network.gbytes_per_s * network.payload_share);
}

}  // namespace scribeline::network_collectives
