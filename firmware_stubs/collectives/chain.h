// Chains: the core at the end sends its vector, every core on the way combines what it receives with its own vector and
// sends the result on, word by word or as a whole; the root keeps it.
//
// Cores receive and send on two colors that alternate from node to node. Order of a chain's sum, with x[i] of node i:
// x[0] is combined last: (((x[n-1] op x[n-2]) op ...) op x[1]) op x[0].
#pragma once

#include <array>
#include <cstdint>

#include "firmware_stubs/collectives/phase.h"

namespace scribeline::collectives {

// Node i of a chain stands at position start + i * stride of every line; the chain repeats `repeats` times, `period`
// positions apart (then the stride is 1 or -1). Nodes more than a position apart are connected through the cores
// between.
struct chain_path {
  lines on;
  int start = 0;
  int stride = 1;
  int nodes = 0;
  int repeats = 1;
  int period = 0;

  int position(int node) const { return start + node * stride; }
  // The side of a node that looks to the next node, and the opposite one.
  fabric::port back() const { return stride > 0 ? on.away() : on.toward(); }
  fabric::port ahead() const { return fabric::opposite(back()); }
  // Nodes first, first + step, ... up to last, in all repetitions.
  std::vector<fabric::region> at(int first, int last, int step = 1) const;
  // The cores between node i and node i + 1, for i = first, first + 2, ... up to last.
  std::vector<fabric::region> between_pairs(int first, int last) const;
};

// What a chain occupies at its cores. Several paths may share a channel as long as they share no links.
struct chain_channel {
  std::array<fabric::color_id, 2> colors;  // node i receives on colors[i % 2]
  fabric::queue_id input;
  fabric::queue_id output;
  fabric::microthread_id thread;

  explicit chain_channel(resources& r)
      : colors{r.color(), r.color()}, input(r.input()), output(r.output()), thread(r.thread()) {}
};

// How a node between the ends passes its vector on.
enum class relay_kind : std::uint8_t {
  streaming,          // one operation: a word leaves as soon as it is combined
  store_and_forward,  // the arriving vector is combined in memory, then sent: two synchronous operations
};

// Routes, queues and the tasks of all nodes but the root. Each continues with `then` when it has sent its last word.
void add_chain(const phase& in, const chain_path& path, const chain_channel& channel, const vector_spec& v,
               std::optional<fabric::task_id> then, relay_kind how = relay_kind::streaming);

// What the root of a chain does: combines the arriving vector with its own, in place.
fabric::vector_op chain_root_operation(const chain_channel& channel, const vector_spec& v);

}  // namespace scribeline::collectives
