// An accelerator with round numbers, and a network that takes a fixed time.
#pragma once

#include <vector>

#include "rtl_tlm/accelerator/accelerator_config.h"
#include "rtl_tlm/accelerator/network_timing.h"

namespace scribeline::accelerator {

// 4 slices of 100 B/ns each, a multiply-accumulate per picosecond at 16 bit.
inline accelerator_config small_accelerator() {
  accelerator_config c{};
  c.slices = 4;
  c.l1_bytes_per_slice = 10'000;
  c.hbm_gbytes_per_s = 400;
  c.hbm_efficiency = 1;
  c.hbm_latency_ns = 10;
  c.placement_bytes = 1000;
  c.hbm_bytes = 1'000'000;
  c.tflops_16bit = 2;
  c.tflops_8bit = 4;
  c.tflops_4bit = 8;
  c.matrix_efficiency = 1;
  c.token_tile = 8;
  c.vector_gbytes_per_s = 1000;
  c.operation_start_ns = 5;
  c.on_chip_stage_ns = 1;
  c.on_chip_gbytes_per_s = 1e6;
  c.register_access_ns = 50;
  c.network.domain_ranks = 8;
  return c;
}

class fixed_network final : public network_timing {
 public:
  explicit fixed_network(double ns) : ns_(ns) {}
  double nanoseconds(const exchange& what) override {
    asked.push_back(what);
    return ns_;
  }
  double bytes_sent(const exchange& what) override { return what.bytes; }

  std::vector<exchange> asked;

 private:
  double ns_;
};

inline descriptor product(std::uint64_t weight_bytes, std::uint64_t macs_per_token) {
  descriptor d;
  d.weight_bytes = weight_bytes;
  d.macs_per_token = macs_per_token;
  return d;
}

inline descriptor exchange_of(opcode op, std::uint32_t bytes, std::uint32_t ranks) {
  descriptor d;
  d.op = op;
  d.input_bytes = bytes;
  d.ranks = ranks;
  return d;
}

}  // namespace scribeline::accelerator
