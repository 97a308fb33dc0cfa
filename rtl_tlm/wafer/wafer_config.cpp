#include "rtl_tlm/wafer/wafer_config.h"

namespace scribeline::wafer {

namespace {

wafer_config wse2() {
  wafer_config c{};
  c.columns = 750;  // program rectangle of a 757 x 996 fabric (vendor documentation)
  c.rows = 994;
  c.clock_ghz = 0.85;                         // vendor examples; WaferLLM converts cycles at 1.1 GHz
  c.sram_bytes_per_core = 48 * 1024;          // vendor: 40 GB over 850,000 cores
  c.code_bytes_per_core = 48 * 1024 - 44976;  // assumption: the minimal runtime measured on WSE-3
  c.register_access_ns = 50;                  // assumption: an on-system controller beside the wafer
  c.vector.fma_fp16_per_cycle = 4;            // 4-wide SIMD; 16 B read and 8 B write per cycle just sustain it
  c.vector.fma_fp32_per_cycle = 1;            // assumption: a quarter of the fp16 rate, no measurement published
  c.vector.copy_fp16_per_cycle = 4;           // 8 B written per cycle
  c.vector.dequant_fp16_per_cycle = 4;        // assumption: an expand step costs what a copy costs
  c.vector.peak_fma_fp16_per_cycle = 4;       // vendor
  c.vector.setup_cycles = 14;                 // 3 descriptor loads, 1 instruction, loop back-edge of 9..10 cycles
  c.vector.sram_bytes_per_cycle = 16;         // vendor: two 64-bit reads per cycle
  c.fabric = fabric::wse2_measured_timing();
  return c;
}

wafer_config wse3() {
  wafer_config c{};
  c.columns = 755;  // program rectangle of a 762 x 1172 fabric (vendor documentation)
  c.rows = 1170;
  c.clock_ghz = 0.875;                        // derived from 214 Pb/s and 21 PB/s over 900,000 cores
  c.sram_bytes_per_core = 48 * 1024;          // vendor: 44 GB
  c.code_bytes_per_core = 48 * 1024 - 44976;  // 44,976 B free for data under a minimal runtime (measured, FABRICA)
  c.register_access_ns = 50;                  // assumption: an on-system controller beside the wafer
  c.vector.fma_fp16_per_cycle = 2.92;         // measured on silicon (FABRICA, arXiv 2608.25124)
  c.vector.fma_fp32_per_cycle = 0.50;         // measured, same source
  c.vector.copy_fp16_per_cycle = 4.82;        // measured, same source
  c.vector.dequant_fp16_per_cycle = 4.82;     // assumption: an expand step costs what a copy costs
  c.vector.peak_fma_fp16_per_cycle = 8;       // vendor
  c.vector.setup_cycles = 16;                 // measured for fp16 multiply-accumulate, same source
  c.vector.sram_bytes_per_cycle = 16;         // vendor: 21 PB/s over 900,000 cores at the clock above
  c.fabric = fabric::wse3_timing();
  return c;
}

}  // namespace

const std::vector<wafer_preset>& wafer_presets() {
  static const std::vector<wafer_preset> presets = {{"wse2", wse2()}, {"wse3", wse3()}};
  return presets;
}

const wafer_preset* find_wafer_preset(std::string_view name) {
  for (const auto& preset : wafer_presets()) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

}  // namespace scribeline::wafer
