#include "scenarios/asic_rack/rack_keys.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

#include "scenarios/model_serving/described_model.h"
#include "scenarios/model_serving/prompt_keys.h"

namespace scribeline::scenarios {

namespace {

constexpr double tiny = 1e-6;
const std::string chip_prefix = "machine.accelerator.";

// "jalapeno: ...; h100, h200: ..."
std::string sources_of(const std::string& field) {
  std::vector<std::pair<std::string_view, std::string>> said;  // source, presets
  for (const auto& chip : accelerator::accelerator_presets()) {
    const auto source = chip.sources.at(field);
    if (!said.empty() && said.back().first == source)
      said.back().second += fmt::format(", {}", chip.name);
    else
      said.emplace_back(source, chip.name);
  }
  std::string text;
  for (const auto& [source, presets] : said)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", presets, source);
  return text;
}

class chip_keys {
 public:
  explicit chip_keys(harness::key_table& keys) : keys_(keys) {}

  template <class Field>
  harness::key& add(const std::string& field, Field& target, const char* unit, double smallest, double largest,
                    const char* meaning) {
    harness::key& key = keys_.add(chip_prefix + field, target)
                            .unit(unit)
                            .range(smallest, largest)
                            .from_preset()
                            .source(sources_of(field))
                            .meaning(meaning);
    if (used_) key.used_when(used_, condition_);
    return key;
  }

  // Of all keys added from here on.
  void only_when(std::function<bool()> used, std::string condition) {
    used_ = std::move(used);
    condition_ = std::move(condition);
  }

  void add_switch(const std::string& field, bool& target, const char* meaning) {
    keys_.add(chip_prefix + field, target).from_preset().source(sources_of(field)).meaning(meaning);
  }

 private:
  harness::key_table& keys_;
  std::function<bool()> used_;
  std::string condition_;
};

void declare_chip_keys(harness::key_table& table, accelerator::accelerator_config& c) {
  chip_keys keys(table);
  keys.add("slices", c.slices, "", 1, 65536, "parts that work side by side, each with its share of HBM");
  keys.add("l1_bytes_per_slice", c.l1_bytes_per_slice, "B", 1, 1e9, "L1 of one slice")
      .used_when([&c] { return c.runs_ahead; }, "machine.accelerator.runs_ahead");
  keys.add("hbm_gbytes_per_s", c.hbm_gbytes_per_s, "GB/s", tiny, 1e6, "HBM rate of the chip");
  keys.add("hbm_efficiency", c.hbm_efficiency, "", tiny, 1, "share of it that long reads get");
  keys.add("hbm_latency_ns", c.hbm_latency_ns, "ns", 0, 1e6, "request to first byte");
  keys.add("placement_bytes", c.placement_bytes, "B", 1, 1e9, "operands are dealt to the slices in such pieces");
  keys.add("hbm_bytes", c.hbm_bytes, "B", 1, 1e15, "HBM of the chip");
  keys.add("hbm_reserved_bytes", c.hbm_reserved_bytes, "B", 0, 1e15, "of it, not for weights and cache")
      .must([&c] { return c.hbm_reserved_bytes < c.hbm_bytes; }, "be less than machine.accelerator.hbm_bytes");
  keys.add("tflops_16bit", c.tflops_16bit, "TFLOP/s", tiny, 1e9, "dense rate with weights wider than 8 bits");
  keys.add("tflops_8bit", c.tflops_8bit, "TFLOP/s", tiny, 1e9, "dense rate with weights of 5 to 8 bits");
  keys.add("tflops_4bit", c.tflops_4bit, "TFLOP/s", tiny, 1e9, "dense rate with weights of up to 4 bits");
  keys.add("matrix_efficiency", c.matrix_efficiency, "", tiny, 1, "share of the rate that large products get");
  keys.add("token_tile", c.token_tile, "tokens", 1, 65536, "fewer tokens cost a matrix unit as much as so many");
  keys.add("vector_gbytes_per_s", c.vector_gbytes_per_s, "GB/s", tiny, 1e9, "elementwise operations, bytes in and out");
  keys.add("operation_start_ns", c.operation_start_ns, "ns", 0, 1e9, "end of an operation to the start of the next");
  keys.add_switch("runs_ahead", c.runs_ahead, "weights of later operations stream into L1 while the chip waits");
  keys.add("on_chip_stage_ns", c.on_chip_stage_ns, "ns", 0, 1e6, "one of the two stages of the on-chip network");
  keys.add("on_chip_gbytes_per_s", c.on_chip_gbytes_per_s, "GB/s", tiny, 1e6, "port of one slice to that network");
  keys.add("register_access_ns", c.register_access_ns, "ns", 0, 1e9, "one firmware access to the control window");
  keys.add("design_power_w", c.design_power_w, "W", 0, 1e6, "thermal design power; 0 = not known");
  keys.add("sustained_power_w", c.sustained_power_w, "W", 0, 1e6,
           "power under load; 0 = not known, design power counts");
}

void declare_exchange_keys(harness::key_table& table, const std::string& prefix, accelerator::token_exchange_config& e,
                           const accelerator_kernels::parallelism& spread) {
  chip_keys keys(table);
  const auto travel = [&spread] { return spread.tokens_travel(); };
  keys.only_when(travel, "mapping.data and mapping.expert are more than 1");
  keys.add(prefix + "dispatch_start_ns", e.dispatch_start_ns, "ns", 0, 1e9, "software's part of a dispatch");
  keys.add(prefix + "combine_start_ns", e.combine_start_ns, "ns", 0, 1e9, "software's part of a combine");
  keys.add(prefix + "start_ns_per_doubling", e.start_ns_per_doubling, "ns", 0, 1e9, "more for twice the ranks");
  keys.add(prefix + "dispatch_share", e.dispatch_share, "", 0, 1, "share of the payload rate; 0 = no such library");
  keys.add(prefix + "combine_share", e.combine_share, "", 0, 1, "share of the payload rate")
      .must([&e] { return e.combine_share > 0 || !e.exists(); }, "be more than 0 where dispatch_share is");
  keys.add(prefix + "prepare_start_ns", e.prepare_start_ns, "ns", 0, 1e9, "agreeing on counts before a dispatch");
  keys.add(prefix + "prepare_ns_per_token", e.prepare_ns_per_token, "ns", 0, 1e6, "the same, per token");
  keys.add(prefix + "low_precision_ns_per_token", e.low_precision_ns_per_token, "ns", 0, 1e6,
           "quantising results to 4 bits and back, per token");
}

void declare_network_keys(harness::key_table& table, accelerator::scale_up_config& n,
                          const accelerator_kernels::parallelism& spread) {
  chip_keys keys(table);
  keys.add("network.domain_ranks", n.domain_ranks, "", 1, 65536, "ranks of a scale-up domain");
  keys.add("network.gbytes_per_s", n.gbytes_per_s, "GB/s", tiny, 1e6, "link rate of a rank, one direction");
  keys.add("network.one_way_ns", n.one_way_ns, "ns", 0, 1e9, "rank to rank through one switch");
  keys.add("network.payload_share", n.payload_share, "", tiny, 1, "payload of the bytes on the wire");
  keys.add("network.planes", n.planes, "", 0, 64,
           "switches side by side, for --fidelity packet; 0 = no scale-up Ethernet");
  keys.add_switch("network.reduces_in_switch", n.reduces_in_switch, "all-reduce by the switch");
  keys.add("network.start_ns", n.start_ns, "ns", 0, 1e9, "software's part of one exchange");
  keys.add("network.phase_ns", n.phase_ns, "ns", 0, 1e9, "software's part of further exchanges of a collective");
  keys.add("network.collective_share", n.collective_share, "", tiny, 1, "share of the payload rate collectives get");
  keys.add("network.staged_bytes_pair", n.staged_bytes_pair, "B", 0, 1e15,
           "largest one-shot or two-shot of two ranks; 0 = any size");
  keys.add("network.staged_bytes_group", n.staged_bytes_group, "B", 0, 1e15, "the same of more ranks");
  declare_exchange_keys(table, "network.two_sided.", n.two_sided, spread);
  declare_exchange_keys(table, "network.one_sided.", n.one_sided, spread);
}

void declare_mapping_keys(harness::key_table& keys, platforms::rack_config& c) {
  keys.add("mapping.tensor", c.spread.tensor)
      .range(1, 65536)
      .meaning("ranks that share every attention and dense layer");
  keys.add("mapping.data", c.spread.data)
      .range(1, 65536)
      .meaning("replicas of the attention in a group, each with requests of its own");
  keys.add("mapping.expert", c.spread.expert)
      .range(1, 65536)
      .must([&c] { return c.spread.problem().empty(); },
            "divide mapping.tensor when mapping.data is 1, and else be 1 or mapping.tensor x mapping.data")
      .meaning("ranks the experts are dealt to; 1 = each is split over the tensor ranks");
  keys.add("mapping.pipeline", c.spread.pipeline).range(1, 65536).meaning("groups of ranks the layers are cut over");
  const auto travel = [&c] { return c.spread.tokens_travel(); };
  keys.add("mapping.dispatch_bits", c.formats.dispatch_bits)
      .unit("bit")
      .range(4, 16)
      .must(
          [&c] {
            return c.formats.dispatch_bits == 4 || c.formats.dispatch_bits == 8 || c.formats.dispatch_bits == 16;
          },
          "be 4, 8 or 16")
      .used_when(travel, "mapping.data and mapping.expert are more than 1")
      .source("assumption: activations as they are")
      .meaning("an element of a token on the way to its experts");
  keys.add("mapping.combine_bits", c.formats.combine_bits)
      .unit("bit")
      .range(4, 16)
      .must([&c] { return c.formats.combine_bits == 4 || c.formats.combine_bits == 16; }, "be 4 or 16")
      .used_when(travel, "mapping.data and mapping.expert are more than 1")
      .source("assumption: activations as they are")
      .meaning("an element of an expert's result on the way back");
}

void declare_workload_keys(harness::key_table& keys, platforms::rack_config& c) {
  auto& load = c.load;
  keys.add("firmware.interrupt_latency_ns", c.interrupt_latency_ns)
      .unit("ns")
      .range(0, 1e9)
      .source("assumption: a host that polls over PCIe")
      .meaning("end of a launch to the firmware's first register access");
  keys.add("firmware.host_step_ns", c.host_step_ns)
      .unit("ns")
      .range(0, 1e9)
      .source("assumption: tokens are picked on the chips, the host schedules ahead")
      .meaning("a result at the host to the next pass that needs it");
  keys.add("workload.users", load.users)
      .range(1, 1e7)
      .must([&c] { return c.load.users % static_cast<std::uint64_t>(c.spread.data) == 0; },
            "be a multiple of mapping.data")
      .meaning("requests of the batch, all replicas together; they arrive together");
  declare_prompt_keys(keys, load.prompt_tokens, load.cached_tokens, load.output_tokens,
                      "a shared prefix, or prefill elsewhere");
  keys.add("workload.chunk_tokens", load.chunk_tokens)
      .unit("tokens")
      .range(1, 1e9)
      .source("assumption: as serving software is set up usually")
      .meaning("most prompt tokens of a replica in one pass");
  keys.add("workload.expert_skew", c.expert_skew)
      .range(0, 4)
      .source("assumption: 0, all experts alike")
      .meaning("expert i is picked in proportion to (place of i)^-skew");
}

}  // namespace

rack_settings::rack_settings() {
  config.accelerator = accelerator::find_accelerator_preset(preset)->config;
}

void declare_rack_keys(harness::key_table& keys, rack_settings& s) {
  declare_model_key(keys, s.model_file);
  std::vector<harness::preset> chips;
  for (const auto& chip : accelerator::accelerator_presets()) {
    chips.push_back(
        {std::string(chip.name), std::string(chip.meaning), [&s, chip] { s.config.accelerator = chip.config; }});
  }
  keys.add_preset("machine.preset", s.preset, chips).meaning("chip whose numbers fill the machine.accelerator keys");
  declare_chip_keys(keys, s.config.accelerator);
  declare_network_keys(keys, s.config.accelerator.network, s.config.spread);
  declare_mapping_keys(keys, s.config);
  declare_workload_keys(keys, s.config);
}

}  // namespace scribeline::scenarios
