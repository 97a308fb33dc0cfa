#include "rtl_tlm/accelerator/accelerator_config.h"

namespace scribeline::accelerator {

namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;
constexpr std::int64_t kib = 1024;

constexpr std::string_view jalapeno_facts = "published facts of the chip (Aug 2026)";
constexpr std::string_view hopper = "vendor data sheet (H100 SXM, H200 SXM)";
constexpr std::string_view blackwell = "vendor data sheet (HGX B200, GB200 NVL72, GB300 NVL72)";
constexpr std::string_view fitted_h200 =
    "fitted by tools/fit_collectives on the 2- and 8-GPU H200 rows of tests/validation/data/gpu_collectives.csv";
constexpr std::string_view fitted_b200 =
    "fitted by tools/fit_collectives on the 2-GPU B200 rows of tests/validation/data/gpu_collectives.csv";
constexpr std::string_view fitted_gb200 =
    "fitted by tools/fit_collectives on the EP 8 and 16 rows of tests/validation/data/gb200_moe_all_to_all.csv";

// `prefix` ends with a dot.
void set_token_exchange(accelerator_preset& p, const std::string& prefix, token_exchange_config& target,
                        const token_exchange_config& values, std::string_view source) {
  target = values;
  for (const char* key : {"dispatch_start_ns", "combine_start_ns", "start_ns_per_doubling", "dispatch_share",
                          "combine_share", "prepare_start_ns", "prepare_ns_per_token", "low_precision_ns_per_token"}) {
    p.sources[prefix + key] = source;
  }
}

// TensorRT-LLM's kernels on NVLink 5. Fields in the order of token_exchange_config.
constexpr token_exchange_config nvlink_two_sided = {10500, 11500, 500, 0.63, 0.57, 13400, 6.9, 104};
constexpr token_exchange_config nvlink_one_sided = {16000, 22000, 500, 0.73, 0.74, 0, 0, 0};

accelerator_preset jalapeno() {
  accelerator_preset p;
  p.name = "jalapeno";
  p.meaning = "inference ASIC of 2026: 64 slices with an HBM slice each";
  accelerator_config& c = p.config;
  constexpr double clock = 1.7;  // GHz, published
  constexpr double start_ns = 50;
  base::sourced_fields(p.sources)
      .set("slices", c.slices, 64, jalapeno_facts)
      .set("l1_bytes_per_slice", c.l1_bytes_per_slice, 512 * kib, jalapeno_facts)
      .set("hbm_gbytes_per_s", c.hbm_gbytes_per_s, 64 * 240.0, "published: 240 GB/s per slice, 15.4 TB/s")
      .set("hbm_efficiency", c.hbm_efficiency, 0.92, "assumption: refresh and turn-arounds of long reads")
      .set("hbm_latency_ns", c.hbm_latency_ns, 150, "assumption: activate, read, controller, die crossing")
      .set("placement_bytes", c.placement_bytes, 4 * kib,
           "assumption: weights are laid out for the slices at load time")
      .set("hbm_bytes", c.hbm_bytes, 216 * gib, jalapeno_facts)
      .set("hbm_reserved_bytes", c.hbm_reserved_bytes, 2 * gib, "assumption: runtime, activations, receive buffers")
      .set("tflops_16bit", c.tflops_16bit, 850, "assumption: a quarter of the published 8 x 8 bit rate")
      .set("tflops_8bit", c.tflops_8bit, 3400, "published: 3.4 PF at 8 x 8 bit")
      .set("tflops_4bit", c.tflops_4bit, 6700, "published: 6.7 PF at 8 x 4 bit")
      .set("matrix_efficiency", c.matrix_efficiency, 0.8, "assumption: large products keep the units four fifths busy")
      .set("token_tile", c.token_tile, 8, "assumption")
      .set("vector_gbytes_per_s", c.vector_gbytes_per_s, 64 * 128 * clock, "assumption: 128 B per cycle and slice")
      .set("operation_start_ns", c.operation_start_ns, start_ns,
           "assumption: descriptor decode and a barrier of all slices, 85 cycles")
      .set("runs_ahead", c.runs_ahead, true, "assumption: L1 is software-managed and the launch list is known")
      .set("on_chip_stage_ns", c.on_chip_stage_ns, 12, "assumption: 20 cycles through one stage of the 8 x 8 network")
      .set("on_chip_gbytes_per_s", c.on_chip_gbytes_per_s, 64 * clock, "assumption: 64 B per cycle into L1")
      .set("register_access_ns", c.register_access_ns, 500, "assumption: host over PCIe")
      .set("design_power_w", c.design_power_w, 700, jalapeno_facts)
      .set("sustained_power_w", c.sustained_power_w, 550, jalapeno_facts);
  scale_up_config& n = c.network;
  constexpr double both_nocs_ns = 80;
  base::sourced_fields(p.sources)
      .set("network.domain_ranks", n.domain_ranks, 128, jalapeno_facts)
      .set("network.gbytes_per_s", n.gbytes_per_s, 600, "published: 24 x 200 Gb/s lanes to the local domain")
      .set("network.one_way_ns", n.one_way_ns, 477.6, "published sum: bridge, PHY, switch, 3 m of twinax")
      .set("network.payload_share", n.payload_share, 4096.0 / (4096 + 10 + 8 + 20),
           "published: PDU of 4096 B, compressed header 10 B, reliability header 8 B, preamble and gap 20 B")
      .set("network.planes", n.planes, 8, "published: 8 rails")
      .set("network.reduces_in_switch", n.reduces_in_switch, false, "assumption: not published")
      .set("network.start_ns", n.start_ns, start_ns + both_nocs_ns,
           "assumption: start of an operation, 40 ns of NoC at either end")
      .set("network.phase_ns", n.phase_ns, start_ns + both_nocs_ns, "assumption: as the start")
      .set("network.collective_share", n.collective_share, 1, "assumption: lossless network, hardware endpoints")
      .set("network.staged_bytes_pair", n.staged_bytes_pair, 0, "any size")
      .set("network.staged_bytes_group", n.staged_bytes_group, 0, "any size");
  set_token_exchange(p, "network.two_sided.", n.two_sided, {}, "not needed: endpoints write into remote L1");
  set_token_exchange(p, "network.one_sided.", n.one_sided,
                     {start_ns + both_nocs_ns, start_ns + both_nocs_ns, 0, 1, 1, 0, 0, 0},
                     "assumption: hardware endpoints; tokens carry their destinations; start of an operation and NoC");
  return p;
}

// What GPUs of all generations are given alike.
void set_gpu(accelerator_preset& p, double clock_ghz) {
  accelerator_config& c = p.config;
  base::sourced_fields(p.sources)
      .set("hbm_efficiency", c.hbm_efficiency, 0.9, "assumption: long reads by kernels reach about nine tenths")
      .set("hbm_latency_ns", c.hbm_latency_ns, 700, "assumption: global memory latency as micro-benchmarks report it")
      .set("placement_bytes", c.placement_bytes, 4 * kib, "assumption: addresses are interleaved over the channels")
      .set("matrix_efficiency", c.matrix_efficiency, 0.7, "assumption: large products of tuned libraries")
      .set("token_tile", c.token_tile, 8, "narrowest side of the matrix instructions (vendor documentation)")
      .set("operation_start_ns", c.operation_start_ns, 1300,
           "assumption: dependent kernels of a captured graph, end to start")
      .set("runs_ahead", c.runs_ahead, false, "kernels start cold")
      .set("on_chip_stage_ns", c.on_chip_stage_ns, 0, "contained in hbm_latency_ns")
      .set("on_chip_gbytes_per_s", c.on_chip_gbytes_per_s, 64 * clock_ghz,
           "assumption: 64 B per cycle from L2 to an SM")
      .set("vector_gbytes_per_s", c.vector_gbytes_per_s, 32 * clock_ghz * static_cast<double>(c.slices),
           "assumption: half of the L2 rate, as what is read is written")
      .set("register_access_ns", c.register_access_ns, 500, "assumption: doorbell over PCIe")
      .set("sustained_power_w", c.sustained_power_w, 0, "not published");
}

void set_nvlink(accelerator_preset& p, int ranks, double gbytes_per_s, std::string_view link_source) {
  scale_up_config& n = p.config.network;
  base::sourced_fields(p.sources)
      .set("network.domain_ranks", n.domain_ranks, ranks, link_source)
      .set("network.gbytes_per_s", n.gbytes_per_s, gbytes_per_s, link_source)
      .set("network.one_way_ns", n.one_way_ns, 600, "assumption: remote store through the switch")
      .set("network.payload_share", n.payload_share, 1, "contained in the fitted shares")
      .set("network.planes", n.planes, 0, "NVLink is no scale-up Ethernet")
      .set("network.reduces_in_switch", n.reduces_in_switch, true, "vendor: NVLink SHARP")
      .set("network.staged_bytes_pair", n.staged_bytes_pair, 16'000'000,
           "TensorRT-LLM: workspace of its own all-reduce kernels; NCCL beyond")
      .set("network.staged_bytes_group", n.staged_bytes_group, 8'000'000,
           "TensorRT-LLM: workspace of its own all-reduce kernels; NCCL beyond");
}

void set_token_kernels(accelerator_preset& p, std::string_view source) {
  set_token_exchange(p, "network.two_sided.", p.config.network.two_sided, nvlink_two_sided, source);
  set_token_exchange(p, "network.one_sided.", p.config.network.one_sided, nvlink_one_sided, source);
}

void set_collectives(accelerator_preset& p, double start_ns, double phase_ns, double share, std::string_view source) {
  scale_up_config& n = p.config.network;
  base::sourced_fields(p.sources)
      .set("network.start_ns", n.start_ns, start_ns, source)
      .set("network.phase_ns", n.phase_ns, phase_ns, source)
      .set("network.collective_share", n.collective_share, share, source);
}

accelerator_preset hopper_gpu(std::string_view name, std::string_view meaning, double hbm_gbytes_per_s,
                              double hbm_gbytes) {
  accelerator_preset p;
  p.name = name;
  p.meaning = meaning;
  accelerator_config& c = p.config;
  base::sourced_fields(p.sources)
      .set("slices", c.slices, 132, "vendor: streaming multiprocessors")
      .set("l1_bytes_per_slice", c.l1_bytes_per_slice, 256 * kib, "vendor documentation")
      .set("hbm_gbytes_per_s", c.hbm_gbytes_per_s, hbm_gbytes_per_s, hopper)
      .set("hbm_bytes", c.hbm_bytes, hbm_gbytes * 1e9, hopper)
      .set("hbm_reserved_bytes", c.hbm_reserved_bytes, 6 * gib, "assumption: runtime, graphs, communication buffers")
      .set("tflops_16bit", c.tflops_16bit, 989, hopper)
      .set("tflops_8bit", c.tflops_8bit, 1979, hopper)
      .set("tflops_4bit", c.tflops_4bit, 989, "no 4-bit units: weights are expanded to 16 bit")
      .set("design_power_w", c.design_power_w, 700, hopper);
  set_gpu(p, 1.83);
  set_nvlink(p, 8, 450, "vendor: NVLink 4, 900 GB/s both directions, 8 GPUs");
  set_collectives(p, 2200, 21000, 0.675, fitted_h200);
  set_token_kernels(p, "assumption: as GB200, which was measured; nothing measured on NVLink 4 is at hand");
  return p;
}

struct blackwell_numbers {
  int slices;
  double hbm_gbytes;
  double tflops_16bit, tflops_4bit;
  double power_w;
  int domain_ranks;
};

accelerator_preset blackwell_gpu(std::string_view name, std::string_view meaning, const blackwell_numbers& b,
                                 std::string_view exchange_source) {
  accelerator_preset p;
  p.name = name;
  p.meaning = meaning;
  accelerator_config& c = p.config;
  base::sourced_fields(p.sources)
      .set("slices", c.slices, b.slices, "vendor: streaming multiprocessors")
      .set("l1_bytes_per_slice", c.l1_bytes_per_slice, 256 * kib, "vendor documentation")
      .set("hbm_gbytes_per_s", c.hbm_gbytes_per_s, 8000, blackwell)
      .set("hbm_bytes", c.hbm_bytes, b.hbm_gbytes * 1e9, blackwell)
      .set("hbm_reserved_bytes", c.hbm_reserved_bytes, 6 * gib, "assumption: runtime, graphs, communication buffers")
      .set("tflops_16bit", c.tflops_16bit, b.tflops_16bit, blackwell)
      .set("tflops_8bit", c.tflops_8bit, 2 * b.tflops_16bit, blackwell)
      .set("tflops_4bit", c.tflops_4bit, b.tflops_4bit, blackwell)
      .set("design_power_w", c.design_power_w, b.power_w, blackwell);
  set_gpu(p, 1.9);
  set_nvlink(p, b.domain_ranks, 900, "vendor: NVLink 5, 1.8 TB/s both directions");
  set_collectives(p, 4200, 17000, 0.58, fitted_b200);
  set_token_kernels(p, exchange_source);
  return p;
}

}  // namespace

const std::vector<accelerator_preset>& accelerator_presets() {
  static const std::vector<accelerator_preset> presets = {
      jalapeno(),
      hopper_gpu("h100", "Hopper GPU, 80 GB", 3350, 80),
      hopper_gpu("h200", "Hopper GPU, 141 GB", 4800, 141),
      blackwell_gpu("b200", "Blackwell GPU in groups of 8", {148, 180, 2250, 9000, 1000, 8},
                    "assumption: as GB200, which was measured"),
      blackwell_gpu("gb200", "Blackwell GPU in a rack of 72", {148, 186, 2500, 10000, 1200, 72}, fitted_gb200),
      blackwell_gpu("gb300", "Blackwell Ultra GPU in a rack of 72", {160, 279, 2500, 15000, 1400, 72},
                    "assumption: as GB200, which was measured"),
  };
  return presets;
}

const accelerator_preset* find_accelerator_preset(std::string_view name) {
  for (const auto& preset : accelerator_presets()) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

}  // namespace scribeline::accelerator
