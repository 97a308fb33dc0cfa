// A wafer of 16 x 8 cores whose cycles last 1 ns, with round numbers for hand computation.
#pragma once

#include "rtl_tlm/link/link_config.h"
#include "rtl_tlm/wafer/descriptor.h"
#include "rtl_tlm/wafer/wafer_config.h"

namespace scribeline::wafer {

inline wafer_config small_wafer(int stages = 1) {
  wafer_config c{};
  c.columns = 16;
  c.rows = 8;
  c.clock_ghz = 1;
  c.sram_bytes_per_core = 1024;
  c.code_bytes_per_core = 24;
  c.register_access_ns = 50;
  c.vector.fma_fp16_per_cycle = 2;
  c.vector.fma_fp32_per_cycle = 0.5;
  c.vector.copy_fp16_per_cycle = 4;
  c.vector.dequant_fp16_per_cycle = 4;
  c.vector.peak_fma_fp16_per_cycle = 4;
  c.vector.setup_cycles = 10;
  c.vector.sram_bytes_per_cycle = 16;
  c.fabric = fabric::wse2_timing();
  c.stages = stages;
  return c;
}

// One lane, 80 ps per byte, 1000 ns of latency: a message of 1000 B arrives 1000 + 1038 x 0.08 = 1083.04 ns after it
// was sent.
inline link::link_config small_link() {
  link::link_config c;
  c.lane_gbps = 100;
  c.latency_ns = 1000;
  c.credit_latency_ns = 1000;
  return c;
}

// `a` x `b` multiply-accumulates on each of 10 cores.
inline descriptor product(std::uint32_t a, std::uint32_t b, std::uint8_t scaled_by = scale::none) {
  descriptor d;
  d.op = opcode::vector;
  d.work = arithmetic::fma_fp16;
  d.extent_a = a;
  d.extent_b = b;
  d.cores = 10;
  d.operand_millibytes = 4000;
  d.scaled_by = scaled_by;
  return d;
}

inline descriptor collective(opcode op, std::uint32_t line, std::uint32_t elements,
                             std::uint8_t scaled_by = scale::none) {
  descriptor d;
  d.op = op;
  d.line = line;
  d.lines = 3;
  d.elements = elements;
  d.scaled_by = scaled_by;
  return d;
}

}  // namespace scribeline::wafer
