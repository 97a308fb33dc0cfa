#include "rtl_tlm/switch/switch_config.h"

#include <fmt/format.h>

namespace scribeline::switching {

std::string switch_config::problem() const {
  if (ports < 1 || ports > 4096) return fmt::format("ports = {}: must be 1 to 4096", ports);
  if (!(latency_ns >= 0 && latency_ns <= 1e9)) return fmt::format("latency_ns = {}: must be 0 to 1e9", latency_ns);
  if (!(reduce_ns >= 0 && reduce_ns <= 1e9)) return fmt::format("reduce_ns = {}: must be 0 to 1e9", reduce_ns);
  if (buffer_bytes < 1) return fmt::format("buffer_bytes = {}: must be 1 or more", buffer_bytes);
  return {};
}

}  // namespace scribeline::switching
