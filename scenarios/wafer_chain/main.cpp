#include "scenarios/harness/run.h"
#include "scenarios/wafer_chain/wafer_chain_scenario.h"

int sc_main(int argc, char* argv[]) {
  scribeline::scenarios::wafer_chain_scenario scenario;
  return scribeline::harness::run(argc, argv, scenario);
}
