#include "rtl_tlm/link/error_config.h"

#include <fmt/format.h>

#include <cmath>

namespace scribeline::link {

std::string error_config::problem() const {
  if (!(bit_error_rate >= 0 && bit_error_rate <= 0.5))
    return fmt::format("bit_error_rate = {}: must be 0 to 0.5", bit_error_rate);
  if (!(frame_error_rate >= 0 && frame_error_rate <= 1))
    return fmt::format("frame_error_rate = {}: must be 0 to 1", frame_error_rate);
  if (bit_error_rate > 0 && frame_error_rate > 0)
    return fmt::format("bit_error_rate = {} and frame_error_rate = {}: give one of them", bit_error_rate,
                       frame_error_rate);
  if (!(control_error_rate <= 1)) return fmt::format("control_error_rate = {}: must be 0 to 1", control_error_rate);
  if (!(fec_latency_ns >= 0 && fec_latency_ns <= 1e12))
    return fmt::format("fec_latency_ns = {}: must be 0 to 1e12", fec_latency_ns);
  return {};
}

double control_loss(const error_config& c) {
  if (c.control_error_rate >= 0) return c.control_error_rate;
  if (c.fec == fec_code::rs544) return frame_error_probability(rs_544_514, c.bit_error_rate, control_message_bits);
  return -std::expm1(static_cast<double>(control_message_bits) * std::log1p(-c.bit_error_rate));
}

error_process frame_errors(const error_config& c, std::uint64_t stream) {
  const std::uint64_t seed = base::random_stream::of(c.seed, stream, 0).next();
  if (c.frame_error_rate > 0) return {c.frame_error_rate, 1, seed};
  if (c.fec == fec_code::rs544)
    return {codeword_failure_probability(rs_544_514, c.bit_error_rate), rs_544_514.data_bits(), seed};
  return {c.bit_error_rate, 1, seed};
}

error_process control_errors(const error_config& c, std::uint64_t stream) {
  return {control_loss(c), 1, base::random_stream::of(c.seed, stream, 1).next()};
}

}  // namespace scribeline::link
