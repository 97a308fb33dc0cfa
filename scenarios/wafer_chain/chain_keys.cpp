#include "scenarios/wafer_chain/chain_keys.h"

#include <fmt/format.h>

#include "firmware_stubs/serving/acceptance.h"
#include "rtl_tlm/wafer/wafer_link.h"
#include "scenarios/model_serving/described_model.h"
#include "scenarios/model_serving/prompt_keys.h"
#include "scenarios/wafer_link/wafer_link_keys.h"

namespace scribeline::scenarios {

namespace {

constexpr double tiny = 1e-6;
const std::string wafer_prefix = "machine.wafer.";

// "wse2: ...; wse3: ..."
std::string sources_of(const std::string& field) {
  std::string text;
  for (const auto& chip : wafer::wafer_presets()) {
    const auto own = chip.sources.find(field);
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", chip.name,
                        own != chip.sources.end() ? own->second : chip.fabric_source);
  }
  return text;
}

void declare_chip_keys(harness::key_table& keys, chain_settings& s) {
  std::vector<harness::preset> chips;
  for (const auto& chip : wafer::wafer_presets()) {
    chips.push_back({std::string(chip.name), std::string(chip.meaning), [&s, chip] { s.config.wafer = chip.config; }});
  }
  keys.add_preset("machine.preset", s.preset, chips).meaning("chip whose numbers fill the machine.wafer keys");

  auto& chip = s.config.wafer;
  const auto add = [&](const std::string& path, auto& field, const char* unit, double smallest, double largest,
                       const char* meaning) -> harness::key& {
    return keys.add(path, field)
        .unit(unit)
        .range(smallest, largest)
        .from_preset()
        .source(sources_of(path.substr(wafer_prefix.size())))
        .meaning(meaning);
  };
  add("machine.wafer.columns", chip.columns, "cores", 8, 1024, "columns of the program rectangle");
  add("machine.wafer.rows", chip.rows, "cores", 8, 2048, "rows of the program rectangle");
  add("machine.wafer.clock_ghz", chip.clock_ghz, "GHz", 0.001, 1000, "clock of cores and fabric");
  add("machine.wafer.sram_bytes_per_core", chip.sram_bytes_per_core, "B", 1024, 65536, "SRAM of one core");
  add("machine.wafer.code_bytes_per_core", chip.code_bytes_per_core, "B", 0, 65536, "of it, runtime and program");
  add("machine.wafer.register_access_ns", chip.register_access_ns, "ns", 0, 1e9,
      "one firmware access to the control window");
  add("machine.wafer.vector.fma_fp16_per_cycle", chip.vector.fma_fp16_per_cycle, "1/cycle", tiny, 1e6,
      "sustained multiply-accumulates of a core");
  add("machine.wafer.vector.fma_fp32_per_cycle", chip.vector.fma_fp32_per_cycle, "1/cycle", tiny, 1e6,
      "the same for weights wider than 16 bit");
  add("machine.wafer.vector.copy_fp16_per_cycle", chip.vector.copy_fp16_per_cycle, "1/cycle", tiny, 1e6,
      "element-wise operations of a core");
  add("machine.wafer.vector.dequant_fp16_per_cycle", chip.vector.dequant_fp16_per_cycle, "1/cycle", tiny, 1e6,
      "packed weights a core expands to 16 bit");
  add("machine.wafer.vector.peak_fma_fp16_per_cycle", chip.vector.peak_fma_fp16_per_cycle, "1/cycle", tiny, 1e6,
      "what the vector unit can do at best; used for lower bounds only")
      .must([&chip] { return chip.vector.peak_fma_fp16_per_cycle >= chip.vector.fma_fp16_per_cycle; },
            "be at least machine.wafer.vector.fma_fp16_per_cycle")
      .must([&chip] { return chip.vector.peak_fma_fp16_per_cycle >= chip.vector.fma_fp32_per_cycle; },
            "be at least machine.wafer.vector.fma_fp32_per_cycle");
  add("machine.wafer.vector.setup_cycles", chip.vector.setup_cycles, "cycles", 0, 1e6,
      "start of one vector operation, loop branch included");
  add("machine.wafer.vector.sram_bytes_per_cycle", chip.vector.sram_bytes_per_cycle, "B/cycle", tiny, 1e6,
      "SRAM read ports of a core");
  add("machine.wafer.fabric.hop_cycles", chip.fabric.hop_cycles, "cycles", 0, 1e6, "router to neighbouring router");
  add("machine.wafer.fabric.word_cycles", chip.fabric.word_cycles, "cycles", tiny, 1e6, "streaming, per 32-bit word");
  add("machine.wafer.fabric.ramp_send_cycles", chip.fabric.ramp_send_cycles, "cycles", 0, 1e6, "core to its router");
  add("machine.wafer.fabric.ramp_receive_cycles", chip.fabric.ramp_receive_cycles, "cycles", 0, 1e6,
      "router to its core");
  add("machine.wafer.fabric.execute_cycles", chip.fabric.execute_cycles, "cycles", 0, 1e6,
      "one word through the datapath of a core");
  add("machine.wafer.fabric.phase_gap_cycles", chip.fabric.phase_gap_cycles, "cycles", 0, 1e6,
      "last word of a vector operation to first word of one that depends on it");
  add("machine.wafer.fabric.launch_cycles", chip.fabric.launch_cycles, "cycles", 0, 1e6,
      "start and completion of one collective");
}

void declare_mapping_keys(harness::key_table& keys, chain_settings& s) {
  keys.add("mapping.layers_per_wafer", s.config.layers_per_wafer)
      .range(0, 1e6)
      .word("fit", 0)
      .source("the vendor's description: one layer per wafer")
      .meaning("model layers on one wafer; \"fit\" takes as many as its SRAM holds");
  keys.add_choice("mapping.embedding_and_head", s.config.embedding_and_head_beside_layers,
                  {{"own_wafers", false}, {"beside_layers", true}})
      .source("assumption")
      .meaning("where token embedding and output head live");
}

void declare_firmware_keys(harness::key_table& keys, chain_settings& s) {
  keys.add("firmware.interrupt_latency_ns", s.config.interrupt_latency_ns)
      .unit("ns")
      .range(0, 1e9)
      .source("assumption: an on-system controller")
      .meaning("interrupt line to the first register access of the handler");
}

void declare_workload_keys(harness::key_table& keys, chain_settings& s) {
  auto& load = s.config.load;
  const auto poisson = [&load] { return load.arrivals == serving::arrival_process::poisson; };
  keys.add_choice("workload.arrivals", load.arrivals,
                  {{"closed", serving::arrival_process::closed}, {"poisson", serving::arrival_process::poisson}})
      .meaning("closed: a fixed number of users, each asks again when answered; poisson: seeded random arrivals");
  keys.add("workload.users", load.users)
      .range(1, 1e6)
      .used_when([poisson] { return !poisson(); }, "workload.arrivals = \"closed\"")
      .meaning("requests in flight at any time");
  keys.add("workload.rate_per_s", load.rate_per_s)
      .unit("1/s")
      .range(tiny, 1e9)
      .used_when(poisson, "workload.arrivals = \"poisson\"")
      .meaning("mean arrival rate");
  keys.add("workload.requests", load.requests).range(1, 1e9).meaning("requests in all");
  declare_prompt_keys(keys, load.prompt_tokens, load.cached_tokens, load.output_tokens, "a shared prefix");
  keys.add("workload.most_in_flight", load.most_in_flight)
      .range(0, 1e6)
      .word("unlimited", 0)
      .meaning("requests the host runs at the same time; others wait, as they do for cache space");
  keys.add("workload.chunk_tokens", load.chunk_tokens)
      .unit("tokens")
      .range(1, 1e9)
      .meaning("a prompt goes through the pipeline in chunks of this many tokens");
  keys.add("workload.chunks_in_flight", load.chunks_in_flight)
      .range(1, 1e6)
      .meaning("chunks of one prompt under way at the same time");
}

void declare_acceptance_keys(harness::key_table& keys, speculation_settings& s) {
  std::vector<harness::preset> tables = {{"none", "no table", [&s] { s.accepted_lengths.clear(); }}};
  for (const auto& table : serving::acceptance_tables()) {
    tables.push_back(
        {std::string(table.name), std::string(table.meaning), [&s, &table] { s.accepted_lengths = table.lengths; }});
  }
  keys.add_preset("workload.speculation.table", s.table, tables)
      .meaning("published table that fills workload.speculation.accepted_lengths");
  keys.add("workload.speculation.accepted_lengths", s.accepted_lengths)
      .range(1, 1025)
      .unit("tokens")
      .from_preset()
      .source("see workload.speculation.table")
      .used_when([&s] { return s.draft_tokens > 0; }, "workload.speculation.draft_tokens is not 0")
      .meaning("mean tokens of a pass with 1, 2, ... drafts, the one behind them included");
  keys.add("workload.speculation.alpha", s.alpha)
      .range(0, 1)
      .used_when([&s] { return s.draft_tokens > 0; }, "workload.speculation.draft_tokens is not 0")
      .must([&s] { return !(s.by_table() && s.by_alpha()); },
            "be 0 beside workload.speculation.accepted_lengths: both say how often drafts are accepted")
      .meaning("one probability for every draft, given that those before it were accepted");
  keys.add("workload.speculation.draft_tokens", s.draft_tokens)
      .unit("tokens")
      .range(0, 1024)
      .must(
          [&s] { return s.draft_tokens == 0 || s.by_table() || s.by_alpha(); },
          "be 0 without workload.speculation.table, accepted_lengths or alpha, which say how often drafts are accepted")
      .must([&s] { return !s.by_table() || s.draft_tokens <= static_cast<std::int64_t>(s.accepted_lengths.size()); },
            "be at most the drafts that workload.speculation.accepted_lengths has a length for")
      .meaning("drafts of a pass, accepted as workload.speculation.accepted_lengths or alpha says");
  keys.add("workload.speculation.acceptance", s.acceptance)
      .range(0, 1)
      .must([&s] { return s.acceptance.empty() || s.draft_tokens == 0; },
            "be empty beside workload.speculation.draft_tokens: both say how many drafts there are")
      .meaning("the same draft by draft: probability that draft 1, 2, ... is accepted once those before it were");
}

void declare_drafter_keys(harness::key_table& keys, chain_settings& s) {
  const auto speculating = [&s] { return s.speculation.on(); };
  using platforms::drafter;
  keys.add_choice("workload.speculation.drafter", s.config.drafts_by,
                  {{"host", drafter::host}, {"module", drafter::module}, {"model", drafter::model}})
      .used_when(speculating, "there are drafts")
      .must([&s] { return s.config.drafts_by != drafter::model || !s.draft_file.empty(); },
            "not be \"model\" without workload.speculation.draft_config")
      .meaning(
          "who makes the drafts: the host, a multi-token-prediction module behind the head, or a smaller model behind "
          "the head; mapping.embedding_and_head says whether on a wafer of its own");
  keys.add("workload.speculation.draft_config", s.draft_file)
      .names_file()
      .used_when([&s, speculating] { return speculating() && s.config.drafts_by != drafter::host; },
                 "a chain with drafts has them made by a module or a model")
      .meaning("description of the smaller model, or of one whose layers become the module (EAGLE)");
  keys.add("workload.speculation.draft_latency_ns", s.config.load.draft_latency_ns)
      .unit("ns")
      .range(0, 1e12)
      .used_when([&s, speculating] { return speculating() && s.config.drafts_by == drafter::host; },
                 "the host makes drafts")
      .source("assumption: a look-up in the prompt costs nothing beside a pass")
      .meaning("time the host takes to make the drafts of a pass");
}

}  // namespace

chain_settings::chain_settings() {
  config.wafer = wafer::find_wafer_preset(preset)->config;
  config.link = wafer::wafer_link();
}

std::vector<double> acceptance_of(const speculation_settings& s) {
  if (s.draft_tokens == 0) return s.acceptance;
  const auto drafts = static_cast<std::size_t>(s.draft_tokens);
  return s.by_table() ? serving::acceptance_from_lengths(s.accepted_lengths, drafts)
                      : std::vector<double>(drafts, s.alpha);
}

void declare_chain_keys(harness::key_table& keys, chain_settings& s) {
  declare_model_key(keys, s.model_file);
  declare_chip_keys(keys, s);
  declare_wafer_link_keys(keys, s.config.link);
  declare_mapping_keys(keys, s);
  declare_firmware_keys(keys, s);
  declare_workload_keys(keys, s);
  declare_acceptance_keys(keys, s.speculation);
  declare_drafter_keys(keys, s);
}

}  // namespace scribeline::scenarios
