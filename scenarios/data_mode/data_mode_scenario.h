// A tiny decoder with values over one or more wafers: every token's logits beside the host's.
#pragma once

#include "scenarios/data_mode/data_keys.h"
#include "scenarios/harness/scenario.h"

namespace scribeline::scenarios {

class data_mode_scenario : public harness::scenario {
 public:
  std::string name() const override { return "data_mode"; }
  std::string summary() const override;
  void declare_keys(harness::key_table& keys) override { declare_data_keys(keys, settings_); }
  std::vector<harness::fidelity> fidelities() const override { return {harness::fidelity::wavelet}; }
  void run(harness::run_context& context) override;

 private:
  data_settings settings_;
};

}  // namespace scribeline::scenarios
