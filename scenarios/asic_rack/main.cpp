#include "scenarios/asic_rack/rack_scenario.h"
#include "scenarios/harness/run.h"

int sc_main(int argc, char* argv[]) {
  scribeline::scenarios::rack_scenario scenario;
  return scribeline::harness::run(argc, argv, scenario);
}
