// What the traffic patterns share: domains that run until they are done, waves, and the counters of a run.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platforms/scale_up_domain/domain_waves.h"
#include "platforms/scale_up_domain/scale_up_domain.h"
#include "scenarios/harness/scenario.h"
#include "scenarios/scale_up_fabric/network_keys.h"

namespace scribeline::scenarios {

class network_run {
 public:
  network_run(const network_settings& settings, harness::run_context& context)
      : settings_(settings), context_(context) {}
  ~network_run();

  // Several may run side by side. Waves show the first. Throws base::bad_input.
  platforms::scale_up_domain& add_domain(const char* name, const platforms::scale_up_config& config);

  // Simulates until no domain has anything left to do, or Ctrl-C; false then. `done` of `total` for the progress
  // line. Throws base::no_progress.
  bool run(double total, const char* what, const std::function<double()>& done);

  // frames.*, pdus.*, retries, stalls, buffers: of one domain.
  void report_counters(const platforms::scale_up_domain& domain, const std::string& prefix = "") const;

  const network_settings& settings() const { return settings_; }
  harness::run_context& context() const { return context_; }

 private:
  const network_settings& settings_;
  harness::run_context& context_;
  std::vector<std::unique_ptr<platforms::scale_up_domain>> domains_;
  std::unique_ptr<platforms::domain_waves> waves_;
};

double nanoseconds(const sc_core::sc_time& t);

// Time on the wire of one port for a transfer of its own: full PDUs and the rest.
double wire_ns(const platforms::scale_up_config& c, std::int64_t bytes);
// First bit one way + the last frame's time: nothing of `bytes` that is sent alone arrives sooner.
double least_ns(const platforms::scale_up_config& c, std::int64_t bytes);

}  // namespace scribeline::scenarios
