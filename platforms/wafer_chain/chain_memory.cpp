#include "platforms/wafer_chain/chain_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "firmware_stubs/plan/sizes.h"
#include "rtl_tlm/base/error.h"

namespace scribeline::platforms {

using memory::owner;

namespace {

// Everything a request of the workload keeps on a stage, by owner.
struct kept {
  base::bytes cache, state;
};

kept kept_by(const chain_config& config, const serving::request& r, const plan::layer_plan& layer) {
  const auto bytes = config.kept_by_request(layer, r.prompt_tokens + r.output_tokens);
  return {bytes.cache + bytes.window, bytes.state};
}

}  // namespace

chain_memory::chain_memory(const chain_config& config, const chain_plan& plan)
    : config_(config),
      plan_(plan),
      positions_of_one_request_(config.longest_context()),
      data_bytes_per_core_(config.wafer.data_bytes_per_core()) {
  const base::bytes code{config.wafer.code_bytes_per_core};
  for (std::size_t w = 0; w < plan.wafers; ++w) {
    auto& ledger = ledgers_.emplace_back(static_cast<std::uint32_t>(config.wafer.rows),
                                         static_cast<std::uint32_t>(config.wafer.columns),
                                         base::bytes{config.wafer.sram_bytes_per_core});
    const memory::core_rectangle every_core = {0, 0, static_cast<std::uint32_t>(config.wafer.rows),
                                               static_cast<std::uint32_t>(config.wafer.columns)};
    auto shortfall = ledger.reserve_per_core(ledger.add_region("runtime", every_core), owner::code, code);
    // What arrives from the links is kept in SRAM of the whole wafer until its stage is done with it.
    const auto received = ledger.add_region("link receive buffer", every_core);
    if (!shortfall) shortfall = ledger.reserve(received, owner::buffers, base::bytes{config.link.receive_buffer_bytes});
    if (shortfall) throw base::does_not_fit(fmt::format("wafer {}: {}", w, shortfall->message()));
  }
  for (std::size_t s = 0; s < plan.stages.size(); ++s)
    reserve_stage(s);

  serving::request one;
  one.prompt_tokens = config.load.prompt_tokens;
  one.output_tokens = config.load.output_tokens;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const kept needs = kept_by(config, one, plan.stages[s].layer);
    const base::bytes all = needs.cache + needs.state;
    auto& ledger = ledgers_[plan.stages[s].wafer];
    if (const auto shortfall = ledger.reserve(regions_[s].region, owner::cache, all)) does_not_fit(s, *shortfall);
    ledger.release(regions_[s].region, owner::cache, all);
  }
}

void chain_memory::reserve_stage(std::size_t stage) {
  const stage_site& site = plan_.stages[stage];
  auto& ledger = ledgers_[site.wafer];
  const auto& memory = site.placed.program.memory;
  const stage_regions r = {ledger.add_region(site.layer.name + " block", site.block),
                           ledger.add_region(site.layer.name + " region", site.region())};
  regions_.push_back(r);
  if (const auto s = ledger.reserve(r.block, owner::weights, memory.block_weights)) does_not_fit(stage, *s);
  if (const auto s = ledger.reserve(r.region, owner::weights, memory.region_weights)) does_not_fit(stage, *s);
  if (const auto s = ledger.reserve_per_core(r.region, owner::buffers, memory.buffers_per_core)) {
    does_not_fit(stage, *s);
  }
}

void chain_memory::does_not_fit(std::size_t stage, const memory::capacity_shortfall& shortfall) const {
  const stage_site& site = plan_.stages[stage];
  throw base::does_not_fit(fmt::format("stage {} ({}) does not fit on wafer {}: {}", stage, site.layer.name, site.wafer,
                                       shortfall.message()));
}

bool chain_memory::admit(const serving::request& r) {
  for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
    const kept needs = kept_by(config_, r, plan_.stages[s].layer);
    auto& ledger = ledgers_[plan_.stages[s].wafer];
    if (!ledger.reserve(regions_[s].region, owner::cache, needs.cache)) {
      if (!ledger.reserve(regions_[s].region, owner::state, needs.state)) continue;
      ledger.release(regions_[s].region, owner::cache, needs.cache);
    }
    release(r, s);
    return false;
  }
  return true;
}

void chain_memory::retire(const serving::request& r) {
  release(r, plan_.stages.size());
}

void chain_memory::release(const serving::request& r, std::size_t stages) {
  for (std::size_t s = 0; s < stages; ++s) {
    const kept needs = kept_by(config_, r, plan_.stages[s].layer);
    auto& ledger = ledgers_[plan_.stages[s].wafer];
    ledger.release(regions_[s].region, owner::cache, needs.cache);
    ledger.release(regions_[s].region, owner::state, needs.state);
  }
}

memory::holding chain_memory::held(std::size_t stage, memory::owner who) const {
  const auto& ledger = ledgers_[plan_.stages[stage].wafer];
  const auto region = ledger.held(regions_[stage].region, who);
  const auto block = ledger.held(regions_[stage].block, who);
  return {region.held + block.held, region.taken + block.taken, region.peak + block.peak};
}

std::int64_t chain_memory::most_requests() const {
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
    const stage_site& site = plan_.stages[s];
    const std::int64_t each = config_.kept_by_request(site.layer, positions_of_one_request_).total().value();
    if (each == 0) continue;
    const base::bytes owned = held(s, owner::weights).taken + held(s, owner::buffers).taken;
    most = std::min(most, (site.block.cores() * data_bytes_per_core_ - owned.value()) / each);
  }
  return most;
}

}  // namespace scribeline::platforms
