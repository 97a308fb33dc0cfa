#include "scenarios/harness/run.h"
#include "scenarios/waferllm/waferllm_scenario.h"

int sc_main(int argc, char* argv[]) {
  scribeline::scenarios::waferllm_scenario scenario;
  return scribeline::harness::run(argc, argv, scenario);
}
