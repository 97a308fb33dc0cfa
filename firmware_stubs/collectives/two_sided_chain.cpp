#include "firmware_stubs/collectives/two_sided_chain.h"

namespace scribeline::collectives {

using namespace fabric;

void two_sided_chain::add(const phase& in, const vector_spec& v, task_id after_root, std::optional<task_id> then,
                          relay_kind how) const {
  const chain_channel first(in.from);
  const chain_channel second(in.from);
  std::vector<instruction> body = in.begin();
  if (has_before()) {
    add_chain(in, before, first, v, then, how);
    body.push_back(chain_root_operation(first, v).then_activate(after_root));
  }
  if (has_behind()) {
    add_chain(in, behind, second, v, then, how);
    const vector_op operation = chain_root_operation(second, v);
    body.push_back(has_before() ? operation.then_unblock(after_root) : operation.then_activate(after_root));
  }
  if (!has_before() && !has_behind()) body.push_back(activate_task{after_root});
  for (const region& where : before.at(0, 0))
    in.add_task(where, "centre", body);
}

}  // namespace scribeline::collectives
