#include "firmware_stubs/plan/sizes.h"

#include <algorithm>

namespace scribeline::plan {

std::uint64_t total_parameters(const std::vector<layer_plan>& plan) {
  std::uint64_t total = 0;
  for (const layer_plan& layer : plan)
    for (const operation& op : layer.operations)
      if (!op.shared_weights) total += op.weight_elements;
  return total;
}

std::uint64_t active_parameters_per_token(const std::vector<layer_plan>& plan) {
  std::uint64_t total = 0;
  for (const layer_plan& layer : plan)
    for (const operation& op : layer.operations)
      total += op.active_copies == op.copies ? op.weight_elements : op.weight_elements / op.copies * op.active_copies;
  return total;
}

base::bytes weight_bytes(const layer_plan& layer) {
  base::bytes total{0};
  for (const operation& op : layer.operations)
    total += op.weight_bytes;
  return total;
}

base::bytes weight_bytes(const std::vector<layer_plan>& plan) {
  base::bytes total{0};
  for (const layer_plan& layer : plan)
    for (const operation& op : layer.operations)
      if (!op.shared_weights) total += op.weight_bytes;
  return total;
}

request_memory& request_memory::operator+=(const request_memory& other) {
  cache += other.cache;
  window += other.window;
  state += other.state;
  return *this;
}

request_memory request_bytes(const layer_plan& layer, std::uint64_t context) {
  request_memory kept;
  for (const operation& op : layer.operations) {
    kept.state += op.state_bytes;
    if (op.kind != op_kind::cache_append) continue;
    const bool bounded = op.reach != span::all;
    const std::uint64_t positions = bounded ? std::min(context, op.window) : context;
    const base::bytes held = op.cache_entry_bytes * static_cast<std::int64_t>(positions / op.positions_per_entry);
    (bounded ? kept.window : kept.cache) += held;
  }
  return kept;
}

request_memory request_bytes(const std::vector<layer_plan>& plan, std::uint64_t context) {
  request_memory kept;
  for (const layer_plan& layer : plan)
    kept += request_bytes(layer, context);
  return kept;
}

double cache_bytes_per_token(const std::vector<layer_plan>& plan) {
  double total = 0;
  for (const layer_plan& layer : plan)
    for (const operation& op : layer.operations)
      total += cache_bytes_per_position(op);
  return total;
}

}  // namespace scribeline::plan
