// Decode (and prefill) of one model on a rack of accelerators.
#pragma once

#include "scenarios/asic_rack/rack_keys.h"
#include "scenarios/harness/scenario.h"

namespace scribeline::scenarios {

class rack_scenario : public harness::scenario {
 public:
  std::string name() const override { return "asic_rack"; }
  std::string summary() const override;
  void declare_keys(harness::key_table& keys) override { declare_rack_keys(keys, settings_); }
  std::vector<harness::fidelity> fidelities() const override {
    return {harness::fidelity::formula, harness::fidelity::packet};
  }
  void run(harness::run_context& context) override;

 private:
  rack_settings settings_;
};

}  // namespace scribeline::scenarios
