// Traffic patterns on a scale-up Ethernet domain.
#pragma once

#include "scenarios/harness/scenario.h"
#include "scenarios/scale_up_fabric/network_keys.h"

namespace scribeline::scenarios {

class scale_up_fabric_scenario : public harness::scenario {
 public:
  std::string name() const override { return "scale_up_fabric"; }
  std::string summary() const override;
  void declare_keys(harness::key_table& keys) override { declare_network_keys(keys, settings_); }
  std::vector<harness::fidelity> fidelities() const override {
    return {harness::fidelity::packet, harness::fidelity::burst};
  }
  void run(harness::run_context& context) override;

 private:
  network_settings settings_;
};

}  // namespace scribeline::scenarios
