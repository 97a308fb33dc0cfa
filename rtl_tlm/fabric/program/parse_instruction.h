// The parts of parse.h that are inside task bodies.
#pragma once

#include "rtl_tlm/fabric/program/program.h"
#include "rtl_tlm/fabric/program/text_cursor.h"

namespace scribeline::fabric {

instruction parse_instruction(text_cursor& c);

// "64 + (8 column - 8 k + 3) mod 512"
affine parse_affine(text_cursor& c);

}  // namespace scribeline::fabric
