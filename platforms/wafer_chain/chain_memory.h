// The SRAM of all wafers of a chain: who owns each byte, and whether one more request fits.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "firmware_stubs/serving/serving_host.h"
#include "platforms/wafer_chain/chain_plan.h"
#include "rtl_tlm/memory/capacity_ledger.h"

namespace scribeline::platforms {

class chain_memory final : public serving::cache_admission {
 public:
  // Reserves code, weights and buffers of every stage, and checks that one request of the workload fits.
  // Throws base::does_not_fit naming stage, wafer, core, needed and available. Both outlive the memory.
  chain_memory(const chain_config& config, const chain_plan& plan);

  bool admit(const serving::request& r) override;
  void retire(const serving::request& r) override;

  const memory::capacity_ledger& wafer(std::size_t index) const { return ledgers_[index]; }
  memory::holding held(std::size_t stage, memory::owner who) const;
  // Requests of the workload whose cache fits beside the weights, if it may use every core of a stage's block; the
  // fullest stage decides.
  std::int64_t most_requests() const;

 private:
  struct stage_regions {
    memory::capacity_ledger::region_id block;
    memory::capacity_ledger::region_id region;
  };

  void reserve_stage(std::size_t stage);
  [[noreturn]] void does_not_fit(std::size_t stage, const memory::capacity_shortfall& shortfall) const;
  void release(const serving::request& r, std::size_t stages);

  const chain_config& config_;
  const chain_plan& plan_;
  std::deque<memory::capacity_ledger> ledgers_;
  std::vector<stage_regions> regions_;
  std::uint64_t positions_of_one_request_;
  std::int64_t data_bytes_per_core_;
};

}  // namespace scribeline::platforms
