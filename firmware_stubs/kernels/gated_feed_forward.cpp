#include "firmware_stubs/kernels/gated_feed_forward.h"

#include "firmware_stubs/kernels/gemv.h"
#include "firmware_stubs/kernels/silu.h"

namespace scribeline::kernels {

using collectives::axis;

gated_feed_forward::gated_feed_forward(int width, const residual_stream& stream, address_counter& sram)
    : elements(base::ceil_div(width, stream.columns)),
      norm_weights(sram.take(stream.elements)),
      up_weights(sram.take(stream.elements * elements)),
      gate_weights(sram.take(stream.elements * elements)),
      down_weights(sram.take(elements * stream.elements)),
      up(sram.take(2 * elements)),
      gate(up + elements * fabric::bytes_of(stream.type)),
      gated(sram.take(elements)) {}

std::vector<mesh_kernel> gated_feed_forward::kernels(const residual_stream& stream) const {
  std::vector<mesh_kernel> all;
  all.push_back(stream.norm("feed-forward norm", norm_weights));
  all.push_back(gemv("up and gate",
                     {{stream.elements, elements, up_weights, stream.normalised, up, stream.type},
                      {stream.elements, elements, gate_weights, stream.normalised, gate, stream.type}},
                     axis::column));
  add_silu_gate(all.back().after, {elements, gate, up, gated, stream.type});
  all.push_back(
      gemv("down", {{elements, stream.elements, down_weights, gated, stream.projected, stream.type}}, axis::row));
  stream.add_projected(all.back());
  return all;
}

}  // namespace scribeline::kernels
