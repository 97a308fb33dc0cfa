#include "scenarios/harness/run.h"
#include "scenarios/scale_up_fabric/scale_up_fabric_scenario.h"

int sc_main(int argc, char* argv[]) {
  scribeline::scenarios::scale_up_fabric_scenario scenario;
  return scribeline::harness::run(argc, argv, scenario);
}
