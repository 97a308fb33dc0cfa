#include "scenarios/data_mode/data_mode_scenario.h"
#include "scenarios/harness/run.h"

int sc_main(int argc, char* argv[]) {
  scribeline::scenarios::data_mode_scenario scenario;
  return scribeline::harness::run(argc, argv, scenario);
}
