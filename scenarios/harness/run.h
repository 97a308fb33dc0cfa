// The life of a scenario binary: command line, scenario file, run, results, exit code.
#pragma once

#include <iostream>

#include "scenarios/harness/exit_code.h"
#include "scenarios/harness/scenario.h"

namespace scribeline::harness {

//   int sc_main(int argc, char* argv[]) {
//     wafer_chain_scenario scenario;
//     return scribeline::harness::run(argc, argv, scenario);
//   }
// Returns an exit_code. Never throws. Results go to `out`, errors, notes and SystemC reports to `err`.
int run(int argc, const char* const* argv, scenario& what, std::ostream& out = std::cout,
        std::ostream& err = std::cerr);

}  // namespace scribeline::harness
