#include "firmware_stubs/kernels/core_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "firmware_stubs/kernels/expert_choice.h"
#include "firmware_stubs/kernels/operation_list.h"
#include "firmware_stubs/kernels/rms_norm.h"
#include "firmware_stubs/kernels/rotary.h"
#include "firmware_stubs/kernels/routine.h"
#include "firmware_stubs/kernels/silu.h"
#include "firmware_stubs/kernels/softmax_work.h"
#include "firmware_stubs/kernels/tile_product.h"
#include "rtl_tlm/base/units.h"

namespace scribeline::kernels {

using namespace fabric;
using wafer::descriptor;

namespace {

constexpr element_type fp16 = operation_list::type;

element_type type_of(wafer::arithmetic work) {
  return work == wafer::arithmetic::fma_fp32 ? element_type::fp32 : fp16;
}

class work_builder {
 public:
  work_builder(const descriptor& d, const round_extents& round)
      : d_(d), round_(round), a_(static_cast<int>(d.extent_a)), b_(static_cast<int>(d.extent_b)) {}

  std::vector<core_part> build() {
    switch (static_cast<routine>(d_.routine)) {
      case routine::sweep:
        sweep();
        break;
      case routine::product_over_a:
        product(a_, b_, round_.tokens, round_.pairs);
        break;
      case routine::product_over_b:
        product(b_, a_ * joined_tokens(), round_.positions, other_tokens());
        break;
      case routine::product_over_positions:
        product(round_.positions, a_ * joined_tokens(), b_, other_tokens());
        break;
      case routine::packed_product_4:
        packed_product(4);
        break;
      case routine::packed_product_8:
        packed_product(8);
        break;
      case routine::copy:
        each_vector([&](int n) { list_.unary(opcode::copy, n); });
        break;
      case routine::add:
        each_vector([&](int n) { list_.binary(opcode::add, n); });
        break;
      case routine::mix:
        each_vector([&](int n) { list_.binary({opcode::multiply, opcode::add}, n); });
        break;
      case routine::scale:
        each_vector([&](int n) { list_.multiply_add(n); });
        break;
      case routine::norm_squares:
        list_.repeat(vectors() * round_.tokens, [&] { append(norm().before); });
        break;
      case routine::norm_scale:
        list_.repeat(vectors() * round_.tokens, [&] { append(norm().after); });
        break;
      case routine::rotary:
        list_.repeat(round_.tokens, [&] {
          const int elements = base::ceil_div(a_, vectors());
          add_rotary(list_.body(), {vectors(), elements, elements, 0, 0, 0, 0, fp16});
        });
        break;
      case routine::gate:
        each_vector([&](int n) { add_silu_gate(list_.body(), {n, 0, 0, 0, fp16}); });
        break;
      case routine::softmax_maximum:
        add_softmax_maximum(list_, scores());
        break;
      case routine::softmax_exponential:
        add_softmax_exponential(list_, scores());
        break;
      case routine::softmax_division:
        add_softmax_division(list_, {vectors(), 1, round_.tokens}, a_);
        break;
      case routine::index_weigh:
        each_vector([&](int n) { list_.binary({opcode::maximum, opcode::multiply, opcode::add}, n); });
        break;
      case routine::index_count:
        each_vector([&](int n) {
          list_.binary(opcode::at_least, n);
          list_.collect(opcode::add, n);
        });
        break;
      case routine::rank:
        list_.repeat(round_.tokens, [&] { add_expert_rank(list_.body(), share_of_experts()); });
        break;
      case routine::rank_division:
        list_.repeat(round_.tokens, [&] { add_rank_division(list_.body(), share_of_experts()); });
        break;
      case routine::best_score:
        list_.repeat(round_.tokens, [&] { best_score(); });
        break;
      case routine::pool:
        each_vector([&](int n) {
          list_.binary({opcode::maximum, opcode::subtract}, n);
          list_.unary(opcode::exponential, n);
          list_.binary(opcode::subtract, n);
          list_.unary(opcode::exponential, n);
          list_.binary({opcode::multiply, opcode::add}, n);
        });
        break;
    }
    finish_part(1);
    return std::move(parts_);
  }

 private:
  void finish_part(std::int64_t times) {
    if (times > 0 && !list_.body().empty()) parts_.push_back({times, std::move(list_.body())});
    list_.body().clear();
  }

  int argument() const { return d_.routine_argument; }
  int vectors() const { return std::max(1, argument()); }
  int joined_tokens() const { return d_.tokens_join_a ? round_.tokens : 1; }
  int other_tokens() const { return d_.tokens_join_a ? 1 : round_.tokens; }

  void append(const std::vector<instruction>& more) {
    list_.body().insert(list_.body().end(), more.begin(), more.end());
  }

  // Every element of extent a for every position, token and pair.
  template <class Add>
  void each_vector(Add&& add) {
    const int longest = std::max({a_, round_.positions, round_.tokens});
    const std::int64_t all = std::int64_t{a_} * round_.positions * round_.tokens * round_.pairs;
    list_.repeat(all / longest, [&] { add(longest); });
  }
  void sweep() {
    const element_type type = type_of(d_.work);
    const int longest = std::max({a_ * joined_tokens(), b_, round_.positions, other_tokens()});
    const std::int64_t all = std::int64_t{a_} * b_ * round_.positions * round_.tokens * round_.pairs;
    list_.repeat(all / longest, [&] {
      if (d_.work == wafer::arithmetic::copy_fp16) return list_.unary(opcode::copy, longest);
      if (d_.work == wafer::arithmetic::dequant_fma_fp16) list_.unary(opcode::expand_4_bit, longest);
      list_.multiply_add(longest, type);
    });
  }

  void product(int reduced, int one, int other, int times) {
    const auto [repeats, length] = std::minmax({one, other});
    add_product(list_.body(), {reduced, repeats * times, length, 0, 0, 0, type_of(d_.work)});
  }

  // Pairs of the same expert share the expanded weights: most experts have the mean of them, some one more.
  void packed_product(int bits) {
    packed_tile tile;
    tile.inputs = a_;
    tile.outputs = b_;
    tile.bits = bits;
    tile.group = argument() == 0 ? a_ : std::min(a_, argument());
    const bool of_experts = (d_.scaled_by & wafer::scale::expert_load) != 0;
    const int matrices = of_experts ? std::max(1, std::min(round_.matrices, round_.pairs)) : 1;
    const int vectors = round_.tokens * round_.pairs;
    const int with_more = vectors % matrices;
    const auto add = [&](int times, int tokens) {
      tile.tokens = tokens;
      add_packed_product(list_.body(), tile, !of_experts);
      finish_part(times);
    };
    add(matrices - with_more, vectors / matrices);
    if (with_more > 0) add(with_more, vectors / matrices + 1);
  }

  mesh_kernel norm() const {
    const int elements = base::ceil_div(a_, vectors());
    return rms_norm("norm", {elements, elements, 0, 0, 0, 0, 1e-5, fp16}, collectives::axis::row);
  }

  softmax_extents scores() const { return {a_, round_.positions, round_.tokens}; }

  expert_rank share_of_experts() const {
    expert_rank rank;
    rank.experts = a_;
    rank.own = vectors();
    return rank;
  }

  // The maximum, where it lies, and the number of that place.
  void best_score() {
    list_.collect(opcode::maximum, a_);
    list_.binary(opcode::at_least, a_);
    list_.collect(opcode::multiply_accumulate, a_);
  }

  const descriptor& d_;
  round_extents round_;
  int a_;
  int b_;
  operation_list list_;
  std::vector<core_part> parts_;
};

}  // namespace

std::vector<core_part> core_work(const descriptor& d, const round_extents& round) {
  if (d.routine > static_cast<std::uint16_t>(routine::pool))
    throw std::invalid_argument(fmt::format("a launch descriptor asks for routine {}; there are 0 to {}", d.routine,
                                            static_cast<std::uint16_t>(routine::pool)));
  return work_builder(d, round).build();
}

}  // namespace scribeline::kernels
