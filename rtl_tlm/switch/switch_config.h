// Parameters of a cut-through switch.
#pragma once

#include <cstdint>
#include <string>

namespace scribeline::switching {

struct switch_config {
  int ports = 64;
  // First bit in to first bit out of an idle output, PHYs included: 250 ns (Broadcom's figure for scale-up Ethernet
  // switches of 51.2 Tb/s).
  double latency_ns = 250;
  // Packet memory shared by all inputs. The receive buffers of the ports, each with all its virtual channels, must fit:
  // then no frame finds it full. 64 MiB is an assumption.
  std::int64_t buffer_bytes = std::int64_t{64} << 20;
  // From the last bit of the last contribution to the first of the result, besides latency_ns. Assumption: the adders
  // lie in the path.
  double reduce_ns = 0;

  // What is wrong, as a sentence that names the key; empty when all is well.
  std::string problem() const;
};

}  // namespace scribeline::switching
