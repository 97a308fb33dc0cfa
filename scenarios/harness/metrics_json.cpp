#include "scenarios/harness/metrics_json.h"

#include "scenarios/harness/effective_config.h"

namespace scribeline::harness {
namespace {

std::string metric_value(const metric& one) {
  return std::visit([](const auto& value) { return to_json(scalar{value}); }, one.value());
}

}  // namespace

std::string metrics_json(const run_identity& identity, const metrics& measured, const key_table& keys,
                         const std::vector<unused_key>& unused) {
  std::string text;
  const auto add = [&text](const std::string& name, const std::string& value) {
    text += (text.empty() ? "{\n  " : ",\n  ") + in_quotes(name) + ": " + value;
  };
  add("scenario", in_quotes(identity.scenario));
  add("version", in_quotes(SCRIBELINE_VERSION));
  add("config_hash", in_quotes(identity.config_hash));
  add("partial", identity.partial ? "true" : "false");
  for (const metric& one : measured.all()) {
    add(one.name(), metric_value(one));
    if (!one.bound()) continue;
    add("bound." + one.name(), to_json(scalar{*one.bound()}));
    add("binds." + one.name(), in_quotes(one.binds()));
  }
  scalar_list unused_paths;
  for (const unused_key& one : unused)
    unused_paths.push_back(one.path);
  add("unused_keys", to_json(config_value{unused_paths}));
  for (const key* one : effective_keys(keys)) {
    if (!one->is_observer()) add("config." + one->path(), to_json(portable_value(*one)));
  }
  for (const metric& one : measured.all()) {
    if (!one.unit().empty()) add("unit." + one.name(), in_quotes(one.unit()));
  }
  return text + "\n}\n";
}

}  // namespace scribeline::harness
