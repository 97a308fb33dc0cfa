#include "firmware_stubs/network_collectives/token_exchange.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace scribeline::network_collectives {

namespace {

using accelerator::scale_up_config;
using accelerator::token_exchange_config;

double start_ns(const scale_up_config& network, const token_exchange_config& library, double own, std::int64_t ranks) {
  return own + library.start_ns_per_doubling * std::log2(static_cast<double>(ranks)) + network.one_way_ns;
}

double on_the_wire_ns(const scale_up_config& network, double share, double bytes) {
  return bytes / (network.gbytes_per_s * network.payload_share * share);
}

double whole_ns(const scale_up_config& network, const token_exchange_config& library, token_load load) {
  load.bytes = load.round_trip_bytes / 2;
  return prepare_ns(library, load) + dispatch_ns(network, library, load) + combine_ns(network, library, load);
}

}  // namespace

double prepare_ns(const token_exchange_config& library, const token_load& load) {
  return load.ranks <= 1 ? 0 : library.prepare_start_ns + library.prepare_ns_per_token * load.tokens;
}

double dispatch_ns(const scale_up_config& network, const token_exchange_config& library, const token_load& load) {
  if (load.ranks <= 1) return 0;
  return start_ns(network, library, library.dispatch_start_ns, load.ranks) +
         on_the_wire_ns(network, library.dispatch_share, load.bytes);
}

double combine_ns(const scale_up_config& network, const token_exchange_config& library, const token_load& load) {
  if (load.ranks <= 1) return 0;
  const double quantising = load.low_precision ? library.low_precision_ns_per_token * load.tokens : 0;
  return start_ns(network, library, library.combine_start_ns, load.ranks) + quantising +
         on_the_wire_ns(network, library.combine_share, load.bytes);
}

const token_exchange_config& fastest_library(const scale_up_config& network, const token_load& load) {
  if (!network.two_sided.exists() && !network.one_sided.exists()) {
    throw std::logic_error("no library exchanges tokens between experts on this chip");
  }
  if (!network.two_sided.exists()) return network.one_sided;
  if (!network.one_sided.exists()) return network.two_sided;
  return whole_ns(network, network.two_sided, load) < whole_ns(network, network.one_sided, load) ? network.two_sided
                                                                                                 : network.one_sided;
}

double balanced_copies(std::int64_t ranks, std::int64_t top_k) {
  return static_cast<double>(std::min(ranks, top_k)) * (1 - 1 / static_cast<double>(ranks));
}

}  // namespace scribeline::network_collectives
