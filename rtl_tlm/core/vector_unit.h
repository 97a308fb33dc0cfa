// Throughput of one core's vector unit and SRAM ports: what a vector operation costs.
//
// A vector operation on n elements takes setup + n / rate cycles, or its SRAM traffic over the port width if that
// is longer. Cores are in order: operations follow one another.
#pragma once

#include <string_view>

namespace scribeline::core {

struct vector_unit {
  double fma_fp16_per_cycle;       // sustained
  double fma_fp32_per_cycle;       //
  double copy_fp16_per_cycle;      //
  double dequant_fp16_per_cycle;   // expanding packed weights to 16 bit, before the multiply
  double peak_fma_fp16_per_cycle;  // for lower bounds only
  double setup_cycles;             // per vector operation, loop branch included
  double sram_bytes_per_cycle;     // read ports
};

}  // namespace scribeline::core
