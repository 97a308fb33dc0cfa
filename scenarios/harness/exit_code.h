// What the exit status of a scenario binary means. Scripts and CI rely on these numbers.
#pragma once

namespace scribeline::harness {

enum class exit_code : int {
  fine = 0,
  budget_missed = 1,  // a budget of the scenario file, or a limit of the run itself, was missed; the table on stdout
                      // says which and by how much
  bad_input = 2,      // command line, scenario file, or a result folder that cannot be used
  does_not_fit = 3,   // weights, cache or activations exceed a memory
  no_progress = 4,    // the simulation stands still
  output_failed = 5,  // a result could not be written after the simulation began
  beats_bound = 6,    // a result is better than its physical bound: the model is wrong
  model_failed = 70,  // an unexpected exception or SystemC error: a defect of the model
  interrupted = 130,  // Ctrl-C; results cover the simulated time so far
};

}  // namespace scribeline::harness
