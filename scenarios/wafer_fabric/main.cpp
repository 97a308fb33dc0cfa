#include "scenarios/harness/run.h"
#include "scenarios/wafer_fabric/wafer_fabric_scenario.h"

int sc_main(int argc, char* argv[]) {
  scribeline::scenarios::wafer_fabric_scenario scenario;
  return scribeline::harness::run(argc, argv, scenario);
}
