#pragma once

namespace scribeline::validation {

// Prints the section of docs/validation.md that sets MeshGEMM, Cannon and SUMMA beside each other.
void print_gemms();

}  // namespace scribeline::validation
