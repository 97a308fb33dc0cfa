// The operations a model's layers are made of: shapes, bytes and dependencies, independent of any machine.
//
// Everything is per token unless it says otherwise; work_of() (work.h) says what an operation costs for a
// number of tokens at a context length.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware_stubs/model/weight_format.h"
#include "rtl_tlm/base/units.h"

namespace scribeline::plan {

enum class op_kind {
  embed,         // one row of a table per token
  norm,          // RMS norm of `copies` vectors of `inputs`
  projection,    // dense product
  rotary,        // position embedding of `copies` vectors of `inputs`
  cache_append,  // writes cache entries
  attention,     // scores and weighted values over the visible cache entries
  index,         // scores of the visible entries, picks the best `outputs`
  compress,      // pools positions into cache entries; keeps the unfinished ones as state
  convolution,   // short causal convolution over the last positions, kept as state
  state_update,  // recurrence: reads and writes its whole state
  activation,    // elementwise function of `inputs` elements
  route,         // router product and top-k choice
  dispatch,      // sends `inputs` elements to each of `active_copies` experts of `copies`
  experts,       // dense product, one matrix per expert
  combine,       // weighted sum of `active_copies` results of `inputs` elements
  residual,      // adds or mixes what flows past the layer, `inputs` elements
  head,          // product with the vocabulary
  sample,        // picks a token from `inputs` scores
};
const char* to_string(op_kind kind);

// Which earlier positions a token sees.
enum class span { all, sliding_window, chunk };

struct operation {
  op_kind kind = op_kind::projection;
  std::string name;              // "q_a_proj", "score_and_value", ...
  bool beside_previous = false;  // needs no result of the operation before it in the list: both can run at once

  // Dense products (projection, route, experts, head): `copies` independent matrices of inputs x outputs, of
  // which a token uses active_copies. More than one copy: one per head, or one per expert. Embedding tables:
  // one copy per row. Elementwise operations: `copies` vectors of `inputs` elements.
  std::uint32_t inputs = 0;
  std::uint32_t outputs = 0;
  std::uint32_t copies = 1;
  std::uint32_t active_copies = 1;
  bool outputs_everywhere = false;  // whoever holds a part of the token needs all outputs: scores, mixing weights

  // Resident weights of all copies, biases included. `shared_weights`: they belong to another operation of the
  // same model (tied head) and count once in its parameters, but a machine that runs the two in different
  // places holds them twice.
  std::uint64_t weight_elements = 0;
  base::bytes weight_bytes{0};
  model::weight_format format;
  bool shared_weights = false;

  // Attention and index: `heads` queries of key_width against the visible entries; kv_heads distinct keys per
  // entry. Value width 0: scores only. cache_append: what is written.
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t key_width = 0;
  std::uint32_t value_width = 0;
  span reach = span::all;
  std::uint64_t window = 0;               // positions of the window or chunk; 0 = all
  std::uint64_t sparse_top_k = 0;         // entries attended to at most; 0 = all visible
  std::uint32_t positions_per_entry = 1;  // a cache entry is appended every so many tokens
  base::bytes cache_entry_bytes{0};       // appended (cache_append) or read (attention, index) per entry

  // Recurrences, convolutions, compressors: bytes kept per request whatever its length, and work per token.
  base::bytes state_bytes{0};
  double macs_per_token = 0;
};

// Growth of the cache per token, averaged over the tokens of an entry; 0 when the cache is bounded by a window.
double cache_bytes_per_position(const operation& op);

struct layer_plan {
  // draft: a multi-token-prediction module.
  enum class stage { embedding, layer, head, draft };

  std::string name;  // "embedding", "layer 0", ..., "head", "draft 0"
  stage what = stage::layer;
  int layer_index = -1;  // of a layer or draft; -1 otherwise
  std::vector<operation> operations;
  // Elements of one token that come from the stage before and go to the one after.
  std::uint64_t input_elements = 0;
  std::uint64_t output_elements = 0;
};

}  // namespace scribeline::plan
