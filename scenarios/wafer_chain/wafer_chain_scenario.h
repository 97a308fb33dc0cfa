// Decode (and prefill) of one model on a chain of wafers.
#pragma once

#include "scenarios/harness/scenario.h"
#include "scenarios/wafer_chain/chain_keys.h"

namespace scribeline::scenarios {

class wafer_chain_scenario : public harness::scenario {
 public:
  std::string name() const override { return "wafer_chain"; }
  std::string summary() const override;
  void declare_keys(harness::key_table& keys) override { declare_chain_keys(keys, settings_); }
  std::vector<harness::fidelity> fidelities() const override {
    return {harness::fidelity::formula, harness::fidelity::burst, harness::fidelity::wavelet};
  }
  void run(harness::run_context& context) override;

 private:
  chain_settings settings_;
};

}  // namespace scribeline::scenarios
