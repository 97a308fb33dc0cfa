// What one wafer is made of, and the published machines as presets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rtl_tlm/base/sourced_fields.h"
#include "rtl_tlm/core/vector_unit.h"
#include "rtl_tlm/fabric/chip.h"
#include "rtl_tlm/fabric/formula/formula.h"
#include "rtl_tlm/wafer/kernel_timing.h"

namespace scribeline::wafer {

struct wafer_config {
  std::int64_t columns;  // program rectangle: the cores a program may use
  std::int64_t rows;
  double clock_ghz;
  std::int64_t sram_bytes_per_core;
  std::int64_t code_bytes_per_core;  // runtime and program, not available for data
  double register_access_ns;         // one transaction to the control window
  core::vector_unit vector;
  fabric::fabric_timing fabric;
  fabric::fabric_chip chip;  // what fabric programs run on, for simulated kernels
  int stages = 1;            // pipeline stages hosted: register banks
  // Fabric hops from each stage to the next one of this wafer; empty: half the sides of the wafer, shared among its
  // stages.
  std::vector<std::int64_t> handoff_hops{};
  // Simulates kernels instead of computing them by closed form; may be shared by wafers and outlives them.
  kernel_timing* kernels = nullptr;

  std::int64_t cores() const { return columns * rows; }
  std::int64_t data_bytes_per_core() const { return sram_bytes_per_core - code_bytes_per_core; }
};

// A preset and where each of its numbers comes from.
struct wafer_preset {
  std::string_view name;
  std::string_view meaning;
  wafer_config config{};
  base::value_sources sources;     // by field: "clock_ghz", "vector.setup_cycles"
  std::string_view fabric_source;  // of all fabric constants
};

// "wse2" and "wse3".
const std::vector<wafer_preset>& wafer_presets();

// The preset of that name, or nullptr.
const wafer_preset* find_wafer_preset(std::string_view name);

}  // namespace scribeline::wafer
