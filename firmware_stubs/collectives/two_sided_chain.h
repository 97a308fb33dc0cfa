// Two chains that end at the same roots, from lower positions and from higher ones.
#pragma once

#include "firmware_stubs/collectives/chain.h"

namespace scribeline::collectives {

// The task that follows at the roots needs both chains: it is activated by one and unblocked by the other, so it must
// be blocked at the start if there are both.
struct two_sided_chain {
  chain_path before;  // nodes at lower positions than the root
  chain_path behind;

  bool has_before() const { return before.nodes > 1; }
  bool has_behind() const { return behind.nodes > 1; }
  bool has_both() const { return has_before() && has_behind(); }

  // `after_root` follows at the roots, `then` elsewhere. Four colors.
  void add(const phase& in, const vector_spec& v, fabric::task_id after_root, std::optional<fabric::task_id> then,
           relay_kind how = relay_kind::streaming) const;
};

}  // namespace scribeline::collectives
