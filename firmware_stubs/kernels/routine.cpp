#include "firmware_stubs/kernels/routine.h"

#include <fmt/format.h>

#include <array>

namespace scribeline::kernels {

namespace {

constexpr std::array<const char*, 23> routine_names = {"sweep",
                                                       "product_over_a",
                                                       "product_over_b",
                                                       "product_over_positions",
                                                       "packed_product_4",
                                                       "packed_product_8",
                                                       "copy",
                                                       "add",
                                                       "mix",
                                                       "scale",
                                                       "norm_squares",
                                                       "norm_scale",
                                                       "rotary",
                                                       "gate",
                                                       "softmax_maximum",
                                                       "softmax_exponential",
                                                       "softmax_division",
                                                       "index_weigh",
                                                       "index_count",
                                                       "rank",
                                                       "rank_division",
                                                       "best_score",
                                                       "pool"};
constexpr std::array<const char*, 6> operation_names = {"", "", "reduce", "broadcast", "all_reduce", "transfer"};

}  // namespace

std::string describe(const wafer::descriptor& d, const wafer::scaled_extents& e) {
  if (d.op != wafer::opcode::vector) {
    const char* name = operation_names[static_cast<std::size_t>(d.op)];
    const std::string apart = d.extent_a > 1 ? fmt::format(", {} hops apart", d.extent_a) : "";
    return fmt::format("{} of {} words on {}{}", name, words_of(d, e), d.line, apart);
  }
  const char* name = d.routine < routine_names.size() ? routine_names[d.routine] : "unknown";
  std::string text = fmt::format("{} {} x {}", name, d.extent_a, d.extent_b);
  if (e.positions != 1) text += fmt::format(" x {} positions", e.positions);
  if (e.tokens != 1) text += fmt::format(", {} tokens", e.tokens);
  if (e.expert_load != 1) text += fmt::format(", {} pairs", e.expert_load);
  if (e.matrices != e.expert_load) text += fmt::format(" of {} experts", e.matrices);
  return text;
}

}  // namespace scribeline::kernels
