// Reads a fabric program from the text that dump.h writes, so that a program can be written, or dumped and changed, in
// an editor.
//
//     program "message", 4 columns x 1 rows
//     route color 5 at column 3, row 0: ramp -> west
//     route color 5 at columns 1..2, row 0: east -> west          # a comment
//     route color 5 at column 0, row 0: east -> ramp
//     input queue 0 takes color 5 at column 0, row 0
//     output queue 2 feeds color 5 at column 3, row 0
//     task 8 "send" at column 3, row 0, active at start
//       copy fp32 output queue 2 <- sram[64], 10 elements, microthread 1
//     task 8 "receive" at column 0, row 0, active at start
//       copy fp32 sram[64] <- input queue 0, 10 elements
//
// One rule or instruction a line, indented as one likes; # begins a comment. docs/modules/fabric.md lists all forms.
#pragma once

#include <string>
#include <string_view>

#include "rtl_tlm/fabric/program/program.h"

namespace scribeline::fabric {

// `file` names the text in errors. Throws base::bad_input with file, line and column, what stands there and what was
// expected. The program is as written: validate.h tells whether a chip can run it.
program parse_program(std::string_view text, const std::string& file);

}  // namespace scribeline::fabric
