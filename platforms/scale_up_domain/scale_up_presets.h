// Scale-up domains that were published, as configurations.
#pragma once

#include "platforms/scale_up_domain/scale_up_config.h"

namespace scribeline::platforms {

// A port of 800 Gb/s on one switch of the 51.2 Tb/s class, 3 m of twinax: scale-up Ethernet as Broadcom describes it.
inline scale_up_config ethernet_800g_twinax() {
  scale_up_config c;
  c.latency = twinax_3m;
  return c;
}

// The same over 30 m of fibre.
inline scale_up_config ethernet_800g_fibre() {
  scale_up_config c;
  c.latency = fibre_30m;
  return c;
}

// The local domain of the "Jalapeno" inference ASIC (public, August 2026): 128 chips, 24 lanes of 200 Gb/s each =
// 600 GB/s per direction, spread over 8 rails. Latency: the sum published for 3 m of twinax.
inline scale_up_config jalapeno_local() {
  scale_up_config c;
  c.ranks = 128;
  c.planes = 8;
  c.port_gbps = 600;
  c.latency = twinax_3m;
  return c;
}

}  // namespace scribeline::platforms
