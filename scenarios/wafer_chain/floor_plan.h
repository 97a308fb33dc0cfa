// A picture of where the stages of a wafer run, as SVG: blocks, the region of each stage, its expert groups and
// attention bands, and how full its cores are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/wafer_chain/chain_config.h"
#include "platforms/wafer_chain/chain_plan.h"

namespace scribeline::scenarios {

// Wafers whose stages do the same in the same places, by the first of them.
struct floor_plan {
  std::size_t wafer = 0;
  std::vector<std::size_t> wafers;  // all of them, in order
};
std::vector<floor_plan> floor_plans(const platforms::chain_plan& plan);

std::string floor_plan_svg(const platforms::chain_config& config, const platforms::chain_plan& plan,
                           const floor_plan& which);

}  // namespace scribeline::scenarios
