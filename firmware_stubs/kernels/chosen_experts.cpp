#include "firmware_stubs/kernels/chosen_experts.h"

#include "firmware_stubs/collectives/collective.h"
#include "firmware_stubs/kernels/gemv.h"
#include "firmware_stubs/kernels/silu.h"

namespace scribeline::kernels {

using namespace fabric;

namespace {

// The tasks of an expert: before the all-reduce and behind it.
struct expert_tasks {
  std::vector<task_id> up;
  std::vector<task_id> down;  // blocked but for the moment when the all-reduce is complete
  task_id done;
};

template <class Change>
void change_all(std::vector<instruction>& body, const std::vector<task_id>& tasks) {
  for (const task_id id : tasks)
    body.push_back(Change{id});
}

class expert_program {
 public:
  expert_program(const expert_feed_forward& block, const residual_stream& stream)
      : block_(block),
        stream_(stream),
        type_(stream.type),
        bytes_(bytes_of(type_)),
        gate_(block.up + block.elements * bytes_) {}

  // Both products lie in the first part of the block's vectors for all experts.
  collectives::vector_spec sums() const { return {type_, 2 * block_.elements, block_.up, opcode::add}; }

  std::vector<instruction> start(const expert_tasks& tasks, std::optional<int> assumed) const {
    std::vector<instruction> body{timestamp{collectives::begin_mark},
                                  copy(type_, sram(stream_.projected), constant(0), stream_.elements)};
    for (int e = 0; e < block_.held; ++e) {
      data_condition chosen{block_.own + e * bytes_};
      if (assumed) chosen.assumed = e < *assumed;
      body.push_back(activate_task{tasks.up[static_cast<std::size_t>(e)], chosen});
    }
    body.push_back(activate_task{tasks.done});
    return body;
  }
  std::vector<instruction> up(int e, const expert_tasks& tasks, std::int64_t call_cycles, task_id all_reduce) const {
    std::vector<instruction> body;
    change_all<block_task>(body, tasks.up);
    body.push_back(block_task{tasks.done});
    body.push_back(activate_task{tasks.down[static_cast<std::size_t>(e)]});
    add_product(body, e, block_.up_weights, block_.up);
    add_product(body, e, block_.gate_weights, gate_);
    body.push_back(scalar_work{call_cycles});
    body.push_back(activate_task{all_reduce});
    return body;
  }
  std::vector<instruction> gate(const expert_tasks& tasks) const {
    std::vector<instruction> body;
    add_silu_gate(body, {block_.elements, gate_, block_.up, block_.gated, type_});
    change_all<unblock_task>(body, tasks.down);
    return body;
  }
  std::vector<instruction> down(int e, const expert_tasks& tasks) const {
    std::vector<instruction> body;
    change_all<block_task>(body, tasks.down);
    const operand gated = sram(block_.gated);
    body.push_back(multiply_add(type_, gated, constant(0), gated, block_.own + e * bytes_, block_.elements));
    const operand sum = sram(stream_.projected);
    for (int i = 0; i < block_.elements; ++i) {
      const int weights = block_.down_weights + (e * block_.elements + i) * stream_.elements * bytes_;
      body.push_back(multiply_add(type_, sum, sum, sram(weights), block_.gated + i * bytes_, stream_.elements)
                         .keeping(i == 0 ? 0 : kept_in_sum));
    }
    change_all<unblock_task>(body, tasks.up);
    body.push_back(unblock_task{tasks.done});
    return body;
  }

 private:
  // A row of the weights holds the outputs of all experts of the group.
  void add_product(std::vector<instruction>& body, int e, int weights, int output) const {
    const operand sum = sram(output);
    for (int i = 0; i < stream_.elements; ++i) {
      const int row = weights + (i * block_.held + e) * block_.elements * bytes_;
      body.push_back(multiply_add(type_, sum, i == 0 ? constant(0) : sum, sram(row), stream_.normalised + i * bytes_,
                                  block_.elements)
                         .keeping(i == 0 ? 0 : kept_in_sum));
    }
  }

  const expert_feed_forward& block_;
  const residual_stream& stream_;
  element_type type_;
  int bytes_;
  int gate_;
};

}  // namespace

program chosen_experts(const expert_feed_forward& block, const residual_stream& stream, const fabric_chip& chip,
                       const all_reduce_style& style, std::optional<int> assumed) {
  program p("chosen experts", stream.columns, stream.rows);
  collectives::resources from(chip);
  const task_id start = from.task();
  const task_id all_reduce = from.task();
  const task_id gate = from.task();
  expert_tasks tasks;
  for (int e = 0; e < block.held; ++e) {
    tasks.up.push_back(from.task());
    tasks.down.push_back(from.task());
  }
  tasks.done = from.task();  // behind the experts that wait, as its number is higher
  const expert_program code(block, stream);
  p.add_start_task(p.all(), start, "which experts", code.start(tasks, assumed));
  for (int e = 0; e < block.held; ++e) {
    const auto i = static_cast<std::size_t>(e);
    p.add_local_task(p.all(), tasks.up[i], "up, gate", code.up(e, tasks, style.call_cycles, all_reduce));
    p.add_task({p.all(), tasks.down[i], "down", 0, false, true, std::nullopt, -1, code.down(e, tasks)});
  }
  p.add_local_task(p.all(), gate, "gate", code.gate(tasks));
  p.add_local_task(p.all(), tasks.done, "done", {timestamp{collectives::end_mark}});
  collectives::phase in{p, from, all_reduce, {gate, gate}};
  in.repeats = true;
  const collectives::lines on = collectives::columns_of(p.all());
  const int groups = style.groups > 0 ? style.groups : collectives::two_tree_groups(on.length());
  collectives::add_two_tree_all_reduce(in, on, code.sums(), groups, style.relay);
  return p;
}

}  // namespace scribeline::kernels
