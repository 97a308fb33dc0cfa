#include "firmware_stubs/kernels/prompt_feed_forward.h"

#include <algorithm>

#include "firmware_stubs/kernels/silu.h"

namespace scribeline::kernels {

prompt_feed_forward::prompt_feed_forward(int width, prompt_stream& stream, address_counter& sram)
    : elements(base::ceil_div(width, stream.side)),
      norm_weights(sram.take(stream.elements)),
      weights(sram.take(2 * stream.elements * elements)),
      down_weights(sram.take(elements * stream.elements)),
      up(sram.take(2 * elements * stream.tokens)),
      gate(up + elements * stream.tokens * fabric::bytes_of(stream.type)),
      gated(sram.take(elements * stream.tokens)) {
  stream.reserve(std::max(elements, stream.elements) * stream.tokens, 2 * elements * stream.elements);
}

std::vector<mesh_step> prompt_feed_forward::steps(const prompt_stream& stream, const fabric::fabric_chip& chip,
                                                  const gemm_schedule& schedule) const {
  std::vector<mesh_step> all;
  all.emplace_back(stream.norm("feed-forward norm", norm_weights));
  for (mesh_step& step :
       stream.product("up and gate", stream.elements, 2 * elements, stream.normalised, weights, up, chip, schedule))
    all.push_back(std::move(step));
  mesh_kernel silu;
  silu.name = "gate";
  add_silu_gate(silu.before, {elements * stream.tokens, gate, up, gated, stream.type});
  all.emplace_back(std::move(silu));
  for (mesh_step& step :
       stream.product("down", elements, stream.elements, gated, down_weights, stream.projected, chip, schedule))
    all.push_back(std::move(step));
  all.emplace_back(stream.add_projected("feed-forward residual"));
  return all;
}

}  // namespace scribeline::kernels
