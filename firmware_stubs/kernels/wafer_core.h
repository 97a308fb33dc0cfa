// A core as fabric programs know it, with the rates and the set-up of a wafer_config.
//
// Closed forms and programs count an operation's start differently: vector.setup_cycles holds the loop branch, which
// programs have of their own; what remains is at least the descriptors that products keep loaded. Rates never exceed
// what the SRAM ports read: two vectors for arithmetic, one for copies.
#pragma once

#include "rtl_tlm/wafer/wafer_config.h"

namespace scribeline::kernels {

// Multiply-adds as vector.fma_*, copies as vector.copy_fp16; other arithmetic and special functions keep their ratio to
// copies on the chip. Throws base::bad_input for rates below 1/4096 of an element a cycle, where runs become too long.
core::core_timing core_of(const wafer::wafer_config& config);

// How fast packed weights are expanded.
core::vector_rate expansion_of(const wafer::wafer_config& config);

// Whether the ports hold up the work of a vector descriptor.
bool sram_binds(const wafer::wafer_config& config, wafer::arithmetic work);

}  // namespace scribeline::kernels
