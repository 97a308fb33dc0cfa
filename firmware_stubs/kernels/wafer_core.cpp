#include "firmware_stubs/kernels/wafer_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firmware_stubs/kernels/gemv.h"
#include "rtl_tlm/base/error.h"

namespace scribeline::kernels {

using core::vector_rate;
using wafer::wafer_config;

namespace {

constexpr double slowest = 1.0 / 4096;
constexpr double fastest = 128;  // engines count in 2^-24 of an element, with 32 bit

double checked(double rate) {
  if (rate < slowest)
    throw base::bad_input(fmt::format(
        "machine.wafer.vector: {} elements per cycle are too few to be simulated; at least {}, or --fidelity formula",
        rate, slowest));
  return std::min(rate, fastest);
}

// At most what the ports read for operations with so many source vectors.
vector_rate by_ports(const wafer_config& config, vector_rate rate, int vectors) {
  const double ports = config.vector.sram_bytes_per_cycle / vectors;
  return {checked(std::min(rate.elements_16_bit, ports / 2)), checked(std::min(rate.elements_32_bit, ports / 4))};
}

// Copies of 32 bit keep their ratio to those of 16 bit on the chip.
vector_rate scaled(vector_rate rate, double by) {
  return {rate.elements_16_bit * by, rate.elements_32_bit * by};
}

double against_chip(const wafer_config& config) {
  return config.vector.copy_fp16_per_cycle / config.chip.core.copy.elements_16_bit;
}

vector_rate multiply_add(const wafer_config& config) {
  return {config.vector.fma_fp16_per_cycle, config.vector.fma_fp32_per_cycle};
}

}  // namespace

core::core_timing core_of(const wafer_config& config) {
  core::core_timing core = config.chip.core;
  const double by = against_chip(config);
  const vector_rate arithmetic = scaled(core.arithmetic, by);
  core.vector_setup_cycles =
      std::max<std::int64_t>(kept_in_sum, std::llround(config.vector.setup_cycles) - core.loop_back_edge_cycles);
  core.copy = by_ports(config, scaled(core.copy, by), 1);
  core.multiply_add = by_ports(config, multiply_add(config), 2);
  core.arithmetic = by_ports(config, arithmetic, 2);
  // Passes of arithmetic.
  core.special = {
      checked(core.special.elements_16_bit * by * core.arithmetic.elements_16_bit / arithmetic.elements_16_bit),
      checked(core.special.elements_32_bit * by * core.arithmetic.elements_32_bit / arithmetic.elements_32_bit)};
  return core;
}

vector_rate expansion_of(const wafer_config& config) {
  const double rate = config.vector.dequant_fp16_per_cycle;
  return by_ports(config, {rate, rate / 2}, 1);
}

bool sram_binds(const wafer_config& config, wafer::arithmetic work) {
  const double ports = config.vector.sram_bytes_per_cycle;
  if (work == wafer::arithmetic::fma_fp32) return ports / 8 < config.vector.fma_fp32_per_cycle;
  const double rate = work == wafer::arithmetic::copy_fp16
                          ? config.chip.core.arithmetic.elements_16_bit * against_chip(config)
                          : config.vector.fma_fp16_per_cycle;
  return ports / 4 < rate;
}

}  // namespace scribeline::kernels
