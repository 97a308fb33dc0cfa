// What one accelerator is made of, and the published chips as presets.
//
// An accelerator is `slices` equal parts that work side by side on one operation: each has its own L1 and its share of
// the HBM bandwidth and of the matrix rate. An on-chip network in two stages broadcasts operands into the slices and
// gathers their results; a NoC leads to the bridges of the scale-up network.
//
// Units: GB is 1e9 bytes, GiB 2^30; bandwidths are per direction; rates are dense (no structured sparsity).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rtl_tlm/base/sourced_fields.h"

namespace scribeline::accelerator {

// What a library of kernels needs to exchange tokens between experts, besides wires and switch.
struct token_exchange_config {
  double dispatch_start_ns, combine_start_ns;     // besides one_way_ns
  double start_ns_per_doubling;                   // of the ranks, added to either
  double dispatch_share, combine_share;           // of payload rate that they sustain; 0 = no such library
  double prepare_start_ns, prepare_ns_per_token;  // agreeing on who sends how much, before the dispatch
  double low_precision_ns_per_token;              // a combine of 4-bit results: quantising and expanding them

  bool exists() const { return dispatch_share > 0; }
};

// Time of collectives among the ranks of one scale-up domain, by the closed forms of
// firmware_stubs/network_collectives. What the software adds to wires and switch is fitted to measurements for GPUs and
// a sum of assumed parts for other chips; the sources say which.
struct scale_up_config {
  std::int64_t domain_ranks;  // that reach each other through one switch
  double gbytes_per_s;        // link rate of one rank
  double one_way_ns;          // rank to rank through one switch: bridges, PHYs, switch, cable
  double payload_share;       // of the bytes on the wire
  std::int64_t planes;        // of a scale-up Ethernet, for packet-level simulation; 0 = another kind of network
  bool reduces_in_switch;     // all-reduce by the switch (NVLS, SHARP)

  // Collectives of dense tensors.
  double start_ns;                  // one exchange, besides one_way_ns: launch, synchronisation
  double phase_ns;                  // what further dependent exchanges add in all: chunks to fill pipelines with
  double collective_share;          // of payload rate that they sustain
  std::int64_t staged_bytes_pair;   // two ranks: largest message of the library's one- and two-shot; 0 = no limit
  std::int64_t staged_bytes_group;  // the same for more ranks

  // Exchange of tokens between experts: the faster of the two is used. Two-sided: sender and receiver share queues.
  // One-sided: the sender writes where the receiver's experts read.
  token_exchange_config two_sided, one_sided;
};

struct accelerator_config {
  std::int64_t slices;
  std::int64_t l1_bytes_per_slice;
  double hbm_gbytes_per_s;       // of the chip
  double hbm_efficiency;         // share of it that a long stream gets
  double hbm_latency_ns;         // request to first byte
  std::int64_t placement_bytes;  // operands are dealt to the slices in pieces of this size
  std::int64_t hbm_bytes;
  std::int64_t hbm_reserved_bytes;  // runtime, communication buffers, activations
  double tflops_16bit;              // by the width of the weights; activations are what the chip pairs with them
  double tflops_8bit;
  double tflops_4bit;
  double matrix_efficiency;     // share of the rate that large products get
  std::int64_t token_tile;      // tokens a matrix unit takes at a time; fewer cost as much
  double vector_gbytes_per_s;   // elementwise operations, all slices: bytes read and written in L1
  double operation_start_ns;    // between the end of an operation and the first access of one that depends on it
  bool runs_ahead;              // weights of later operations stream into L1 while the chip waits
  double on_chip_stage_ns;      // one of the two stages of the on-chip network, first byte in to first byte out
  double on_chip_gbytes_per_s;  // of one slice's port
  double register_access_ns;    // one access of the firmware to the control window
  double design_power_w;        // TDP; 0 = not published
  double sustained_power_w;     // 0 = not published
  scale_up_config network;

  // Rate of products with weights of that many bits, in 1e12 multiply-accumulates per second.
  double tera_macs(int weight_bits) const {
    return (weight_bits > 8 ? tflops_16bit : weight_bits > 4 ? tflops_8bit : tflops_4bit) / 2;
  }
  std::int64_t hbm_bytes_for_data() const { return hbm_bytes - hbm_reserved_bytes; }
};

// A preset and where each of its numbers comes from.
struct accelerator_preset {
  std::string_view name;
  std::string_view meaning;
  accelerator_config config{};
  base::value_sources sources;  // by field: "slices", "network.one_way_ns"
};

// jalapeno, h100, h200, b200, gb200, gb300.
const std::vector<accelerator_preset>& accelerator_presets();

// The preset of that name, or nullptr.
const accelerator_preset* find_accelerator_preset(std::string_view name);

}  // namespace scribeline::accelerator
