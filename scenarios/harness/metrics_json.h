// metrics.json: one flat, stable, greppable object, one entry a line.
#pragma once

#include <string>
#include <vector>

#include "scenarios/harness/key_table.h"
#include "scenarios/harness/metrics.h"

namespace scribeline::harness {

struct run_identity {
  std::string scenario;
  std::string config_hash;
  bool partial = false;  // interrupted: covers the simulated time up to there
};

// The same with waves on or off: keys that only observe are left out. In this order: identity, metrics as added (each
// followed by its "bound." and "binds." entry), "unused_keys", "config." entries, "unit." entries.
std::string metrics_json(const run_identity& identity, const metrics& measured, const key_table& keys,
                         const std::vector<unused_key>& unused);

}  // namespace scribeline::harness
