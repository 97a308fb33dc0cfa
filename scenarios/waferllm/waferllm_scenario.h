// WaferLLM's programs on a square of wafer cores: decode, prefill, end to end, and single products.
#pragma once

#include "scenarios/harness/scenario.h"
#include "scenarios/waferllm/waferllm_keys.h"

namespace scribeline::scenarios {

class waferllm_scenario : public harness::scenario {
 public:
  std::string name() const override { return "waferllm"; }
  std::string summary() const override;
  void declare_keys(harness::key_table& keys) override { declare_waferllm_keys(keys, settings_); }
  std::vector<harness::fidelity> fidelities() const override {
    return {harness::fidelity::wavelet, harness::fidelity::burst};
  }
  void run(harness::run_context& context) override;

 private:
  waferllm_settings settings_;
};

}  // namespace scribeline::scenarios
