#include "scenarios/data_mode/data_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "rtl_tlm/base/error.h"
#include "rtl_tlm/wafer/wafer_config.h"
#include "rtl_tlm/wafer/wafer_link.h"
#include "scenarios/wafer_link/wafer_link_keys.h"

namespace scribeline::scenarios {
namespace {

using tiny_model::feed_forward;
using tiny_model::mixer;
using tiny_model::tiny_layer;

const std::map<std::string, tiny_layer>& kinds_of_layers() {
  static const std::map<std::string, tiny_layer> kinds = {
      {"grouped_dense", {mixer::grouped_attention, feed_forward::dense}},
      {"grouped_experts", {mixer::grouped_attention, feed_forward::experts}},
      {"latent_dense", {mixer::latent_attention, feed_forward::dense}},
      {"latent_experts", {mixer::latent_attention, feed_forward::experts}},
      {"state_space_dense", {mixer::state_space, feed_forward::dense}},
      {"state_space_experts", {mixer::state_space, feed_forward::experts}},
  };
  return kinds;
}

std::vector<std::string> names_of_layers() {
  std::vector<std::string> names;
  for (const auto& [name, layer] : kinds_of_layers())
    names.push_back(name);
  return names;
}

void take_chip(data_settings& s, const wafer::wafer_config& config) {
  s.chip = config.chip;
  s.data_bytes_per_core = config.data_bytes_per_core();
  s.clock_ghz = config.clock_ghz;
}

void declare_model_keys(harness::key_table& keys, data_settings& s) {
  keys.add("model.layers", s.layers)
      .one_of(names_of_layers())
      .must([&s] { return !s.layers.empty(); }, "name a layer at least")
      .meaning(
          "layers in order: attention over a cache (grouped queries, or latent) or a state space, and a dense "
          "feed-forward block or 8 experts of which 2 are chosen");
  keys.add("model.hidden", s.hidden).range(1, 1024).meaning("width of the activation, fp16");
  keys.add("model.vocabulary", s.vocabulary).unit("tokens").range(2, 4096).meaning("tokens there are");
  keys.add("model.feed_forward", s.feed_forward).range(1, 4096).meaning("width of dense feed-forward blocks");
}

void declare_machine_keys(harness::key_table& keys, data_settings& s) {
  std::vector<harness::preset> chips;
  for (const auto& chip : wafer::wafer_presets())
    chips.push_back({std::string(chip.name), std::string(chip.meaning), [&s, &chip] { take_chip(s, chip.config); }});
  keys.add_preset("machine.preset", s.preset, chips).meaning("chip whose cores compute");
  keys.add("machine.clock_ghz", s.clock_ghz)
      .unit("GHz")
      .range(1e-6, 1000)
      .from_preset()
      .source("rtl_tlm/wafer/wafer_config.cpp")
      .meaning("clock of cores and fabric");
  keys.add("machine.side", s.side)
      .unit("cores")
      .must([&s] { return s.side == 4 || s.side == 8 || s.side == 16 || s.side == 32; }, "be 4, 8, 16 or 32")
      .meaning("columns and rows of the mesh that computes on each wafer");
  keys.add("machine.wafers", s.wafers)
      .range(1, 64)
      .must([&s] { return static_cast<std::size_t>(s.wafers) <= s.layers.size(); },
            "be at most the number of model.layers")
      .meaning("wafers in a row that share the layers as evenly as they go");
  declare_wafer_link_keys(keys, s.link);
  keys.add("machine.link.bit_error_rate", s.link.errors.bit_error_rate)
      .range(0, 1e-2)
      .meaning("of every link, as frames see it");
  keys.add("machine.link.frame_error_rate", s.link.errors.frame_error_rate)
      .range(0, 0.9)
      .must([&s] { return s.link.errors.frame_error_rate == 0 || s.link.errors.bit_error_rate == 0; },
            "be 0 beside machine.link.bit_error_rate")
      .meaning("share of the frames that arrive bad");
  keys.add("machine.link.retry", s.retry)
      .source("assumption: as scale-up Ethernet has it")
      .meaning("bad frames are sent again; without, a message that loses one never arrives");
  keys.add("firmware.interrupt_latency_ns", s.interrupt_latency_ns)
      .unit("ns")
      .range(0, 1e9)
      .source("assumption: an on-system controller")
      .meaning("from a message's arrival to the first program it starts");
}

void declare_workload_keys(harness::key_table& keys, data_settings& s) {
  keys.add("workload.prompt", s.prompt)
      .range(0, 4095)
      .must([&s] { return !s.prompt.empty(); }, "have a token at least")
      .must([&s] { return std::all_of(s.prompt.begin(), s.prompt.end(), [&s](int t) { return t < s.vocabulary; }); },
            "have tokens below model.vocabulary only")
      .meaning("tokens that are known at the beginning");
  keys.add("workload.generated_tokens", s.generated_tokens)
      .unit("tokens")
      .range(1, 4096)
      .meaning("tokens behind the prompt, each the one with the largest logit");
  keys.add("check.tolerance", s.tolerance)
      .range(0, 1e6)
      .source("about a hundred roundings of 2^-11 on the way to a logit of size one, which add up like a random walk")
      .meaning("largest difference of a logit to the host's, in double precision; beyond it the run ends with 1");
}

}  // namespace

data_settings::data_settings() : link(wafer::wafer_link()) {
  take_chip(*this, wafer::find_wafer_preset(preset)->config);
}

tiny_model::tiny_decoder_spec data_settings::model(std::uint64_t seed) const {
  tiny_model::tiny_decoder_spec spec;
  spec.layers.clear();
  for (const std::string& name : layers)
    spec.layers.push_back(kinds_of_layers().at(name));
  spec.hidden = hidden;
  spec.vocabulary = vocabulary;
  spec.feed_forward_width = feed_forward;
  spec.positions = static_cast<int>(prompt.size()) + generated_tokens - 1;
  spec.side = side;
  spec.seed = seed;
  return spec;
}

platforms::data_pipeline_config data_settings::machine(std::uint64_t seed) const {
  platforms::data_pipeline_config config;
  config.wafer.cores = {chip, base::frequency(clock_ghz), fabric::engine_kind::wavelet};
  config.wafer.interrupt_latency_ns = interrupt_latency_ns;
  config.link = link;
  config.link.credit_latency_ns = link.latency_ns;
  config.link.errors.seed = seed;
  config.link.llr.on = retry;
  // Assumption: three round trips, and the default beside links without latency.
  config.link.llr.replay_timeout_ns = std::max(config.link.llr.replay_timeout_ns, 6 * link.latency_ns);
  const std::string problem = config.link.problem();
  if (!problem.empty()) throw base::bad_input("machine.link." + problem);
  config.host.prompt = prompt;
  config.host.generated = generated_tokens;
  return config;
}

void declare_data_keys(harness::key_table& keys, data_settings& s) {
  declare_model_keys(keys, s);
  declare_machine_keys(keys, s);
  declare_workload_keys(keys, s);
}

}  // namespace scribeline::scenarios
