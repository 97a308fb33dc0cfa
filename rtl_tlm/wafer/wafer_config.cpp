#include "rtl_tlm/wafer/wafer_config.h"

namespace scribeline::wafer {

namespace {

constexpr std::string_view silicon = "measured on silicon (FABRICA, arXiv 2608.25124)";
constexpr std::string_view as_copy = "assumption: an expand step costs what a copy costs";
constexpr std::string_view controller = "assumption: an on-system controller beside the wafer";

wafer_preset wse2() {
  wafer_preset p;
  p.name = "wse2";
  p.meaning = "850,000-core wafer of 2021";
  wafer_config& c = p.config;
  base::sourced_fields fields(p.sources);
  fields.set("columns", c.columns, 750, "program rectangle of a 757 x 996 fabric (vendor documentation)");
  fields.set("rows", c.rows, 994, "program rectangle of a 757 x 996 fabric (vendor documentation)");
  fields.set("clock_ghz", c.clock_ghz, 0.85, "vendor examples; WaferLLM converts cycles at 1.1 GHz");
  fields.set("sram_bytes_per_core", c.sram_bytes_per_core, 48 * 1024, "vendor: 40 GB over 850,000 cores");
  fields.set("code_bytes_per_core", c.code_bytes_per_core, 48 * 1024 - 44976,
             "assumption: the runtime measured on WSE-3");
  fields.set("register_access_ns", c.register_access_ns, 50, controller);
  auto& v = c.vector;
  const core::core_timing core = core::wse2_core();
  fields.set("vector.fma_fp16_per_cycle", v.fma_fp16_per_cycle, core.multiply_add.elements_16_bit,
             "sustained in WaferLLM's measurements, see rtl_tlm/core/core_timing.h");
  fields.set("vector.fma_fp32_per_cycle", v.fma_fp32_per_cycle, core.multiply_add.elements_32_bit,
             "assumption: a quarter of the fp16 rate");
  fields.set("vector.copy_fp16_per_cycle", v.copy_fp16_per_cycle, core.copy.elements_16_bit, "8 B written per cycle");
  fields.set("vector.dequant_fp16_per_cycle", v.dequant_fp16_per_cycle, core.copy.elements_16_bit, as_copy);
  fields.set("vector.peak_fma_fp16_per_cycle", v.peak_fma_fp16_per_cycle, 4, "vendor");
  fields.set("vector.setup_cycles", v.setup_cycles, 14,
             "3 descriptor loads, 1 instruction, loop back-edge of 9..10 cycles");
  fields.set("vector.sram_bytes_per_cycle", v.sram_bytes_per_cycle, 16, "vendor: two 64-bit reads per cycle");
  c.fabric = fabric::wse2_measured_timing();
  c.chip = fabric::wse2_chip();
  p.fabric_source = "HPDC'24 (arXiv 2404.15888): model and measured rows, see rtl_tlm/fabric/formula/formula.h";
  return p;
}

wafer_preset wse3() {
  wafer_preset p;
  p.name = "wse3";
  p.meaning = "900,000-core wafer of 2024";
  wafer_config& c = p.config;
  base::sourced_fields fields(p.sources);
  fields.set("columns", c.columns, 755, "program rectangle of a 762 x 1172 fabric (vendor documentation)");
  fields.set("rows", c.rows, 1170, "program rectangle of a 762 x 1172 fabric (vendor documentation)");
  fields.set("clock_ghz", c.clock_ghz, 0.875, "derived from the published totals; the vendor does not state it");
  fields.set("sram_bytes_per_core", c.sram_bytes_per_core, 48 * 1024, "vendor: 44 GB over 900,000 cores");
  fields.set("code_bytes_per_core", c.code_bytes_per_core, 48 * 1024 - 44976,
             "44,976 B free for data under a minimal runtime (FABRICA, arXiv 2608.25124)");
  fields.set("register_access_ns", c.register_access_ns, 50, controller);
  auto& v = c.vector;
  const core::core_timing core = core::wse3_core();
  fields.set("vector.fma_fp16_per_cycle", v.fma_fp16_per_cycle, core.multiply_add.elements_16_bit, silicon);
  fields.set("vector.fma_fp32_per_cycle", v.fma_fp32_per_cycle, core.multiply_add.elements_32_bit, silicon);
  fields.set("vector.copy_fp16_per_cycle", v.copy_fp16_per_cycle, core.copy.elements_16_bit, silicon);
  fields.set("vector.dequant_fp16_per_cycle", v.dequant_fp16_per_cycle, core.copy.elements_16_bit, as_copy);
  fields.set("vector.peak_fma_fp16_per_cycle", v.peak_fma_fp16_per_cycle, 8, "vendor");
  fields.set("vector.setup_cycles", v.setup_cycles, 16, silicon);
  fields.set("vector.sram_bytes_per_cycle", v.sram_bytes_per_cycle, 16, "vendor: two 64-bit reads per cycle");
  c.fabric = fabric::wse3_timing();
  c.chip = fabric::wse3_chip();
  p.fabric_source = "silicon (FABRICA, arXiv 2608.25124) and assumptions, see rtl_tlm/fabric/formula/formula.h";
  return p;
}

}  // namespace

const std::vector<wafer_preset>& wafer_presets() {
  static const std::vector<wafer_preset> presets = {wse2(), wse3()};
  return presets;
}

const wafer_preset* find_wafer_preset(std::string_view name) {
  for (const auto& preset : wafer_presets()) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

}  // namespace scribeline::wafer
