// The program of a pre-order reduce tree.
//
// A core at depth d receives on color d mod 2 and sends on the other one, so that a child at depth d + 1 sends on what
// its parent receives on. Later the routers of a subtree must let messages of cores behind it pass. Both of a core's
// colors therefore have a second position: receive side away, transmit side toward the root. A core that has sent
// switches its send color by the control word behind its data. The last child of a core sends one that switches all
// routers on its way: those of its siblings' subtrees are in their last position already, its own and its parent's go
// there. Whoever comes later is held back at the first router on the way that has not switched yet.
#include <stdexcept>

#include "firmware_stubs/collectives/reduce.h"

namespace scribeline::collectives {

using namespace fabric;

namespace {

class tree_writer {
 public:
  tree_writer(const phase& in, const lines& on, const vector_spec& v, const reduce_tree& tree, bool streaming)
      : in_(in),
        on_(on),
        v_(v),
        tree_(tree),
        streaming_(streaming),
        children_(tree.children()),
        depth_(tree.depth()),
        colors_{in.from.color(), in.from.color()},
        input_(in.from.input()),
        output_(in.from.output()),
        thread_(in.from.thread()),
        send_task_(in.from.task()) {
    if (tree.size() != on.length())
      throw std::invalid_argument(fmt::format("a tree of {} cores for lines of {}", tree.size(), on.length()));
    find_passing();
  }

  void write() {
    for (int core = 0; core < tree_.size(); ++core) {
      write_routes(core);
      write_tasks(core);
    }
  }

 private:
  const std::vector<int>& children_of(int core) const { return children_[static_cast<std::size_t>(core)]; }
  int parent_of(int core) const { return tree_.parent[static_cast<std::size_t>(core)]; }
  std::size_t receive_parity(int core) const {
    return static_cast<std::size_t>(depth_[static_cast<std::size_t>(core)] % 2);
  }
  std::size_t send_parity(int core) const { return 1 - receive_parity(core); }
  bool passes(int core, std::size_t parity) const { return passing_[static_cast<std::size_t>(core)][parity]; }

  // Which cores messages of which color pass.
  void find_passing() {
    passing_.assign(static_cast<std::size_t>(tree_.size()), {false, false});
    for (int child = 1; child < tree_.size(); ++child)
      for (int between = parent_of(child) + 1; between < child; ++between)
        passing_[static_cast<std::size_t>(between)][send_parity(child)] = true;
  }

  void write_routes(int core) {
    program& p = in_.p;
    const region where = on_.at(core);
    for (std::size_t parity = 0; parity < 2; ++parity) {
      std::vector<route_position> positions;
      if (parity == receive_parity(core) && !children_of(core).empty()) positions.push_back({on_.away(), port::ramp});
      if (parity == send_parity(core) && core > 0) positions.push_back({port::ramp, on_.toward()});
      if (passes(core, parity)) positions.push_back({on_.away(), on_.toward()});
      if (!positions.empty()) p.add_switched_route(where, colors_[parity], positions);
    }
    if (!children_of(core).empty()) p.bind_input(where, input_, colors_[receive_parity(core)]);
    if (core > 0) p.bind_output(where, output_, colors_[send_parity(core)]);
  }

  // The control word behind a core's message, if any router has to switch.
  std::optional<control_word> closing(int core) const {
    const int parent = parent_of(core);
    const bool is_last = children_of(parent).back() == core;
    if (is_last && passes(parent, receive_parity(parent))) return control_word::advance_all_routers();
    if (passes(core, send_parity(core))) return control_word::advance_own_router();
    return std::nullopt;
  }

  vector_op with_closing(const vector_op& operation, int core) const {
    vector_op v = operation.on_thread(thread_);
    v.closing_control = closing(core);
    return v;
  }

  void write_tasks(int core) {
    const region where = on_.at(core);
    const color_id receive = colors_[receive_parity(core)];
    const color_id send = colors_[send_parity(core)];
    const int messages = static_cast<int>(children_of(core).size());
    const bool streams = streaming_ && core > 0 && messages > 0;
    const int stored = messages - (streams ? 1 : 0);
    const auto after = core == 0 ? in_.next.root : in_.next.others;
    const operand own = sram(v_.address);
    const operand sums = sram_repeated(v_.address, v_.elements);
    const vector_op store = binary(v_.op, v_.type, sums, fabric_in(input_, receive), sums, v_.elements * stored);
    const vector_op onward =
        streams ? binary(v_.op, v_.type, fabric_out(output_, send), fabric_in(input_, receive), own, v_.elements)
                : copy(v_.type, fabric_out(output_, send), own, v_.elements);
    if (core == 0) return in_.add_operation(where, "root", store.on_thread(thread_), after);
    if (stored == 0) return in_.add_operation(where, "send", with_closing(onward, core), after);
    in_.add_operation(where, "receive", store.on_thread(thread_), send_task_);
    const phase sending{in_.p, in_.from, send_task_, in_.next};
    sending.add_operation(where, "send", with_closing(onward, core), after);
  }

  const phase& in_;
  const lines& on_;
  const vector_spec& v_;
  const reduce_tree& tree_;
  bool streaming_;
  std::vector<std::vector<int>> children_;
  std::vector<int> depth_;
  std::vector<std::array<bool, 2>> passing_;
  std::array<color_id, 2> colors_;
  queue_id input_;
  queue_id output_;
  microthread_id thread_;
  task_id send_task_;
};

}  // namespace

void add_tree_reduce(const phase& in, const lines& on, const vector_spec& v, const reduce_tree& tree, bool streaming) {
  if (v.elements % elements_per_word(v.type) != 0)
    throw std::invalid_argument(
        fmt::format("{} {} elements do not fill whole words, which a tree needs", v.elements, name(v.type)));
  if (on.length() == 1) return add_chain_reduce(in, on, v);
  tree_writer(in, on, v, tree, streaming).write();
}

}  // namespace scribeline::collectives
