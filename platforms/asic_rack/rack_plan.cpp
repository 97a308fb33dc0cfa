#include "platforms/asic_rack/rack_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "firmware_stubs/accelerator_kernels/sharding.h"
#include "firmware_stubs/plan/make_plan.h"
#include "rtl_tlm/base/error.h"

namespace scribeline::platforms {

namespace {

rank_memory memory_of(const rack_config& config, const std::vector<plan::layer_plan>& layers) {
  rank_memory m;
  for (const auto& layer : layers) {
    const plan::layer_plan mine = accelerator_kernels::rank_share(layer, config.spread);
    m.weights += plan::weight_bytes(mine);
    m.one_request += plan::request_bytes(mine, config.longest_context()).total();
  }
  m.cache = m.one_request * static_cast<std::int64_t>(config.sequences_per_replica());
  return m;
}

void check_fits(const rack_config& config, const rack_plan& plan) {
  const std::int64_t available = config.accelerator.hbm_bytes_for_data();
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const rank_memory& m = plan.stages[s].memory;
    if (m.taken().value() <= available) continue;
    const auto gb = [](std::int64_t bytes) { return static_cast<double>(bytes) / 1e9; };
    const auto first_rank = static_cast<std::int64_t>(s) * config.spread.group_ranks();
    throw base::does_not_fit(fmt::format(
        "rank {} (stage {}, {} .. {}) does not fit: weights of {:.2f} GB and the cache of {} requests of {:.3f} GB "
        "each "
        "need {:.2f} GB, {:.2f} GB of HBM are available; take more ranks (mapping.tensor, mapping.expert, "
        "mapping.pipeline) or fewer workload.users per replica",
        first_rank, s, plan.stages[s].layers.front().name, plan.stages[s].layers.back().name, gb(m.weights.value()),
        config.sequences_per_replica(), gb(m.one_request.value()), gb(m.taken().value()), gb(available)));
  }
}

// Boundaries so that every stage holds about as many bytes; every stage has a layer.
std::vector<std::size_t> cut(const rack_config& config, const std::vector<plan::layer_plan>& layers) {
  const auto stages = static_cast<std::size_t>(config.spread.pipeline);
  if (stages > layers.size()) {
    throw base::bad_input(fmt::format("mapping.pipeline = {}: {} has {} layers, embedding and head included", stages,
                                      config.model.name, layers.size()));
  }
  double whole = 0;
  for (const auto& layer : layers)
    whole += static_cast<double>(plan::weight_bytes(layer).value());
  std::vector<std::size_t> firsts = {0};
  double held = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::size_t s = firsts.size();
    const bool full = held >= whole * static_cast<double>(s) / static_cast<double>(stages);
    const bool must = layers.size() - i == stages - s;
    if (s < stages && i > firsts.back() && (full || must)) firsts.push_back(i);
    held += static_cast<double>(plan::weight_bytes(layers[i]).value());
  }
  return firsts;
}

}  // namespace

rack_plan plan_rack(const rack_config& config) {
  const std::string problem = config.spread.problem();
  if (!problem.empty()) throw base::bad_input("mapping." + problem);
  if (config.spread.group_ranks() > config.accelerator.network.domain_ranks) {
    throw base::bad_input(
        fmt::format("mapping.tensor x mapping.data = {}: a scale-up domain has {} ranks "
                    "(machine.accelerator.network.domain_ranks)",
                    config.spread.group_ranks(), config.accelerator.network.domain_ranks));
  }
  rack_plan plan;
  plan.layers = plan::make_plan(config.model);
  const auto firsts = cut(config, plan.layers);
  for (std::size_t s = 0; s < firsts.size(); ++s) {
    rack_stage stage;
    stage.first_layer = firsts[s];
    const std::size_t end = s + 1 < firsts.size() ? firsts[s + 1] : plan.layers.size();
    for (std::size_t i = firsts[s]; i < end; ++i)
      stage.layers.push_back(plan.layers[i]);
    stage.program = accelerator_kernels::make_rank_program(stage.layers, config.spread, config.formats);
    stage.memory = memory_of(config, stage.layers);
    plan.stages.push_back(std::move(stage));
  }
  check_fits(config, plan);
  return plan;
}

std::int64_t most_requests(const rack_config& config, const rack_plan& plan) {
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const rack_stage& stage : plan.stages) {
    if (stage.memory.one_request.value() == 0) continue;
    const std::int64_t room = config.accelerator.hbm_bytes_for_data() - stage.memory.weights.value();
    most = std::min(most, room / stage.memory.one_request.value());
  }
  return most * config.spread.data;
}

}  // namespace scribeline::platforms
