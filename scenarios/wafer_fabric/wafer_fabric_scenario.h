// One collective on a rectangle of wafer cores.
#pragma once

#include "scenarios/harness/scenario.h"
#include "scenarios/wafer_fabric/fabric_keys.h"

namespace scribeline::scenarios {

class wafer_fabric_scenario : public harness::scenario {
 public:
  std::string name() const override { return "wafer_fabric"; }
  std::string summary() const override;
  void declare_keys(harness::key_table& keys) override { declare_fabric_keys(keys, settings_); }
  std::vector<harness::fidelity> fidelities() const override {
    return {harness::fidelity::wavelet, harness::fidelity::burst, harness::fidelity::formula};
  }
  void run(harness::run_context& context) override;

 private:
  fabric_settings settings_;
};

}  // namespace scribeline::scenarios
