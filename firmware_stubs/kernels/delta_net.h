// A linear attention block of a decoder with the delta rule for one token: gated delta net (Qwen3-Next) or Kimi delta
// attention (Kimi Linear). Norm, projections, short convolution of query, key and value, update of the resident state,
// gated norm, output projection.
//
// A head's state S has a value vector per key channel. With query and key normalised to length one (the query also
// divided by the root of its width), per token:
//   S = decay S, S = S + key (beta (value - S^T key))^T, output = S^T query
// where beta = logistic(raw beta) and decay = e^(rate ln(1 + e^(raw decay + bias))), one number per head (gated delta
// net) or per key channel (Kimi).
//
// The columns are cut into as many equal parts as there are key heads, the values of a head are split along the columns
// of its part, its key channels along the rows. Projections give elements along the columns, so query and key (and
// decay) are gathered along the rows of a part once, each core picks its row's channels; what the state holds for key
// and query is then all-reduced along the columns. Low-rank projections of decay and gate are multiplied out when
// weights are loaded.
#pragma once

#include "firmware_stubs/kernels/residual_stream.h"
#include "firmware_stubs/kernels/short_convolution.h"

namespace scribeline::kernels {

// What differs: the decay, and the gate on the output: SiLU for a gated delta net, logistic for Kimi's.
enum class delta_rule { gated, kimi };

struct delta_net_dimensions {
  delta_rule rule = delta_rule::gated;
  int heads = 1;            // of queries and keys
  int values_per_head = 1;  // value heads that share a key head, each with a state
  int key_width = 1;
  int value_width = 1;
  int taps = 4;  // of the short convolution
};

// Addresses are bytes. `values` stands for the value heads of a key head, `keys` for key channels.
struct delta_net {
  // Throws std::invalid_argument when the columns do not divide by the heads.
  delta_net(const delta_net_dimensions& d, const residual_stream& stream, address_counter& sram);

  std::vector<mesh_kernel> kernels(const residual_stream& stream) const;

  delta_net_dimensions dimensions;
  int part;                       // columns of a head
  int key_elements;               // per column
  int value_elements;             // per column
  int own_keys;                   // per row
  int all_keys;                   // of a head, padded to rows and columns
  int decays;                     // per value head in this core: 1 or own_keys
  short_convolution convolution;  // of query, key, values
  int norm_weights;
  int query_weights;  // elements of the stream x key_elements, as are those of the key
  int key_weights;
  int value_weights;  // elements of the stream x (values x value_elements), as are those of the gate
  int gate_weights;
  int decay_weights;  // elements of the stream x values, for Kimi's x key_elements
  int beta_weights;   // elements of the stream x values, the same in all columns of a part, as are a gated net's decays
  int rate;           // -e^A, values
  int decay_bias;     // values, for Kimi's x own_keys
  int output_norm_weights;  // value_elements
  int output_weights;       // (values x value_elements) x elements of the stream
  int query;                // of this column: these come from one product
  int key;
  int value;
  int gate;
  int raw_decay;
  int beta;
  int gathered_query;  // all_keys each; these are gathered together
  int gathered_key;
  int gathered_decay;  // values x all_keys, Kimi's only
  int squares;         // of query and key, and their product: three numbers
  int decay;           // values x decays
  int state;           // values x own_keys x value_elements
  int held;            // for the key: values x value_elements, as what follows; with `read` in one all-reduce
  int read;            // for the query, then the output
  int normed;
  int gated;
  int norm_sums;  // values

 private:
  int raw_decays() const;  // per core, before they are gathered
  mesh_kernel project(const residual_stream& stream) const;
  mesh_kernel gather(const residual_stream& stream) const;
  void add_lengths(std::vector<fabric::instruction>& body, fabric::element_type type) const;
  void add_decay(std::vector<fabric::instruction>& body, fabric::element_type type) const;
  mesh_kernel update(fabric::element_type type) const;
  mesh_kernel gated_norm(const residual_stream& stream) const;
};

}  // namespace scribeline::kernels
