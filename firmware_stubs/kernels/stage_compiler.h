// One stage on its way from operations to launch descriptors. Private to the kernels library: stage_program.h says
// what the layout of the work is; the operations are placed in compile_*.cpp, by kind.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "firmware_stubs/kernels/routine.h"
#include "firmware_stubs/kernels/stage_program.h"

namespace scribeline::kernels {

inline std::int64_t slice(std::int64_t total, std::int64_t parts) {
  return base::ceil_div(total, parts);
}

// Element-wise work per element of a softmax: subtract, exponentiate (range reduction and a cubic), scale.
constexpr std::int64_t softmax_operations = 8;  // assumption
constexpr std::int64_t maximum_operations = 2;  // of them, before the maximum over all positions is known: assumption
// Element-wise work per element of a gated activation: a sigmoid and two products.
constexpr std::int64_t activation_operations = 6;  // assumption

// Reads per multiply-accumulate: a weight and a 16-bit accumulator.
std::uint32_t weight_traffic(const model::weight_format& format);
wafer::arithmetic arithmetic_of(const model::weight_format& format);

// Entries on the fullest of `cores` cores when `picked` of all entries lie anywhere, each equally likely: the mean m of
// one core, and for the largest of so many draws sqrt(2 m ln cores) + ln cores / 3 more (Bernstein's inequality).
std::int64_t most_picked_on_a_core(std::int64_t picked, std::int64_t cores);

class stage_compiler {
 public:
  stage_compiler(const plan::layer_plan& layer, const stage_map& map, std::uint64_t most_tokens);
  stage_program run();

 private:
  using operation = plan::operation;

  // Cores along the axis that splits the inputs of the next product, and along the other.
  std::int64_t across() const { return inputs_along_columns_ ? map_.region.columns : map_.region.rows; }
  std::int64_t along() const { return inputs_along_columns_ ? map_.region.rows : map_.region.columns; }
  void swap_axes() { inputs_along_columns_ = !inputs_along_columns_; }

  // One descriptor, scaled by the tokens of the pass.
  wafer::descriptor& emit(wafer::opcode op);
  wafer::descriptor& vector(std::int64_t a, std::int64_t b, wafer::arithmetic work, std::uint32_t millibytes,
                            std::int64_t cores);
  // The code that cores run for it.
  static wafer::descriptor& as(routine code, wafer::descriptor& d, std::int64_t argument = 0);
  wafer::descriptor& product_of(std::int64_t inputs, std::int64_t outputs, const model::weight_format& format,
                                std::int64_t cores);
  // One 16-bit element in, one out, `operations` times, on every core of the region.
  wafer::descriptor& elementwise(routine code, std::int64_t elements, std::int64_t operations,
                                 std::int64_t argument = 0);
  // The cores that would hold the same share the tokens of the pass: each works where the all-reduce before has its
  // root for the token.
  wafer::descriptor& dealt(wafer::descriptor& d, std::int64_t cores) const;
  wafer::descriptor& communicate(wafer::opcode op, std::int64_t line, std::int64_t lines, std::int64_t elements,
                                 std::uint8_t element_bytes = 2);

  // Elements of one token that a core holds as input and output of an operation: two buffers of 16-bit elements.
  void buffer(std::int64_t elements) { widest_slice_ = std::max(widest_slice_, elements); }
  void buffer_attention(std::int64_t elements) {
    widest_attention_slice_ = std::max(widest_attention_slice_, elements);
  }
  // Elements of one token, all cores together.
  void keep(std::int64_t elements) { widest_vector_ = std::max(widest_vector_, elements); }
  base::bytes buffers_per_core() const;

  void enter();
  void leave();
  void place(const operation& op);
  const operation* next() const;
  bool next_runs_beside(plan::op_kind kind) const;

  // compile_dense.cpp
  void embed(const operation& op);
  void norm(const operation& op);
  bool norms_ride() const;
  void scale_norms();
  void elementwise_on(const operation& op, routine code, std::int64_t operations);
  void residual(const operation& op);
  void product(const operation& op);
  void finish_products();
  void banded_product(const operation& op);
  void route(const operation& op);
  void sample(const operation& op);

  // compile_attention.cpp
  struct attention_layout {
    std::int64_t bands, elements_axis, positions_axis;
  };
  attention_layout attention_layout_now() const;
  void attention(const operation& op);
  void scores(const operation& op);
  void values(const operation& op);
  void over_positions(const operation& op, wafer::descriptor& d) const;
  void sum_over_positions(std::int64_t elements, std::uint8_t element_bytes, std::int64_t bands);
  void index(const operation& op);

  // compile_recurrent.cpp
  void compress(const operation& op);
  void convolution(const operation& op);
  void state_update(const operation& op);

  // compile_experts.cpp
  void dispatch(const operation& op);
  void experts(const operation& op);
  void shared_expert(const operation& op);
  void expert_activation(const operation& op);
  void combine(const operation& op);
  void sum_over_groups(std::int64_t groups, std::int64_t distance, std::int64_t lines, std::int64_t elements);
  std::int64_t group_across(bool inputs_along_columns) const;
  std::int64_t group_along(bool inputs_along_columns) const;
  void per_pair(wafer::descriptor& d) const;

  const plan::layer_plan& layer_;
  const stage_map& map_;
  std::int64_t most_tokens_;
  stage_program program_;
  std::size_t current_ = 0;
  bool inputs_along_columns_ = true;
  bool expert_inputs_along_columns_ = true;
  bool in_expert_phase_ = false;
  bool attended_ = false;
  std::int64_t routed_width_ = 0;      // of what the routed experts get
  std::int64_t returning_beside_ = 0;  // results of shared experts that differ in width from the routed ones, on a core
  std::int64_t unsummed_outputs_ = 0;  // of products that share the next all-reduce, on a core
  std::int64_t unsummed_vector_ = 0;   // the same, on all cores
  std::int64_t outputs_everywhere_ = 0;  // of this, what every line must know
  std::int64_t unsummed_alone_ = 0;      // and the rest
  std::int64_t unsummed_squares_ = 0;
  std::int64_t squares_line_ = 1;
  struct norm_slice {
    std::int64_t elements, vectors;  // of a core
  };
  std::vector<norm_slice> unscaled_;         // norms whose squares share the next all-reduce
  std::vector<const operation*> unweighed_;  // attention whose scores share a softmax with the next one's
  std::int64_t widest_slice_ = 0;
  std::int64_t widest_attention_slice_ = 0;
  std::int64_t widest_vector_ = 0;
};

}  // namespace scribeline::kernels
