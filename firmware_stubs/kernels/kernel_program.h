// A kernel of a stage as one fabric program: every core of some equal lines does its own work, then the line
// communicates.
//
// A reduce uses the pattern whose closed form is the shortest for its size, or, between distant cores, chains from both
// ends to the middle; an all-reduce is a reduce and a broadcast back; a transfer is a broadcast along its hops. Vectors
// lie in words of 32 bit.
#pragma once

#include <vector>

#include "firmware_stubs/collectives/phase.h"
#include "rtl_tlm/fabric/program/program.h"
#include "rtl_tlm/wafer/descriptor.h"

namespace scribeline::kernels {

struct communication {
  wafer::opcode op = wafer::opcode::vector;  // vector: none, a line is a core
  int words = 0;
  int line = 1;      // cores; hops of a transfer
  int distance = 1;  // hops between these cores; more than one: of a reduce

  // From end to end.
  int cores() const { return op == wafer::opcode::transfer ? line + 1 : (line - 1) * distance + 1; }
};

// Rows of `along` cores, `lines` of them, with begin and end marks as collectives have them. `timing` chooses the
// pattern.
fabric::program kernel_program(const fabric::fabric_chip& chip, const fabric::fabric_timing& timing,
                               const std::vector<fabric::instruction>& work, const communication& what, int lines);

}  // namespace scribeline::kernels
