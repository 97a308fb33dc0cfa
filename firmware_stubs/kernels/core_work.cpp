#include "firmware_stubs/kernels/core_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "firmware_stubs/kernels/expert_choice.h"
#include "firmware_stubs/kernels/rms_norm.h"
#include "firmware_stubs/kernels/rotary.h"
#include "firmware_stubs/kernels/routine.h"
#include "firmware_stubs/kernels/silu.h"
#include "firmware_stubs/kernels/tile_product.h"
#include "rtl_tlm/base/units.h"

namespace scribeline::kernels {

using namespace fabric;
using wafer::descriptor;

namespace {

using body_t = std::vector<instruction>;

constexpr element_type fp16 = element_type::fp16;

template <class Add>
void repeat(body_t& body, std::int64_t times, Add&& add) {
  if (times > 1) body.push_back(begin_loop{static_cast<int>(times)});
  add();
  if (times > 1) body.push_back(end_loop{});
}

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
        each_vector([&](int n) { unary_on(opcode::copy, n); });
        break;
      case routine::add:
        each_vector([&](int n) { binary_on(opcode::add, n); });
        break;
      case routine::mix:
        each_vector([&](int n) { binary_on({opcode::multiply, opcode::add}, n); });
        break;
      case routine::scale:
        each_vector([&](int n) { body_.push_back(multiply_add(fp16, sram(0), constant(0), sram(0), 0, n)); });
        break;
      case routine::norm_squares:
        repeat(body_, vectors() * round_.tokens, [&] { append(norm().before); });
        break;
      case routine::norm_scale:
        repeat(body_, vectors() * round_.tokens, [&] { append(norm().after); });
        break;
      case routine::rotary:
        repeat(body_, round_.tokens, [&] {
          const int elements = base::ceil_div(a_, vectors());
          add_rotary(body_, {vectors(), elements, elements, 0, 0, 0, 0, fp16});
        });
        break;
      case routine::gate:
        each_vector([&](int n) { add_silu_gate(body_, {n, 0, 0, 0, fp16}); });
        break;
      case routine::softmax_maximum:
        softmax_maximum();
        break;
      case routine::softmax_exponential:
        softmax_exponential();
        break;
      case routine::softmax_division:
        softmax_division();
        break;
      case routine::index_weigh:
        each_vector([&](int n) { binary_on({opcode::maximum, opcode::multiply, opcode::add}, n); });
        break;
      case routine::index_count:
        each_vector([&](int n) {
          binary_on(opcode::at_least, n);
          collect(opcode::add, n);
        });
        break;
      case routine::rank:
        repeat(body_, round_.tokens, [&] { add_expert_rank(body_, share_of_experts()); });
        break;
      case routine::rank_division:
        repeat(body_, round_.tokens, [&] { add_rank_division(body_, share_of_experts()); });
        break;
      case routine::best_score:
        repeat(body_, round_.tokens, [&] { best_score(); });
        break;
      case routine::pool:
        each_vector([&](int n) {
          binary_on({opcode::maximum, opcode::subtract}, n);
          unary_on(opcode::exponential, n);
          binary_on(opcode::subtract, n);
          unary_on(opcode::exponential, n);
          binary_on({opcode::multiply, opcode::add}, n);
        });
        break;
    }
    finish_part(1);
    return std::move(parts_);
  }

 private:
  void finish_part(std::int64_t times) {
    if (times > 0 && !body_.empty()) parts_.push_back({times, std::move(body_)});
    body_.clear();
  }

  int argument() const { return d_.routine_argument; }
  int vectors() const { return std::max(1, argument()); }
  int joined_tokens() const { return d_.tokens_join_a ? round_.tokens : 1; }
  int other_tokens() const { return d_.tokens_join_a ? 1 : round_.tokens; }

  void append(const body_t& more) { body_.insert(body_.end(), more.begin(), more.end()); }

  // Every element of extent a for every position, token and pair.
  template <class Add>
  void each_vector(Add&& add) {
    const int longest = std::max({a_, round_.positions, round_.tokens});
    const std::int64_t all = std::int64_t{a_} * round_.positions * round_.tokens * round_.pairs;
    repeat(body_, all / longest, [&] { add(longest); });
  }
  void unary_on(opcode op, int n) { body_.push_back(unary(op, fp16, sram(0), sram(0), n)); }
  void binary_on(opcode op, int n) { body_.push_back(binary(op, fp16, sram(0), sram(0), sram(0), n)); }
  void binary_on(std::initializer_list<opcode> ops, int n) {
    for (const opcode op : ops)
      binary_on(op, n);
  }
  // Sum or maximum of a vector.
  void collect(opcode op, int n) {
    body_.push_back(copy(fp16, sram(0), sram(0), 1));
    body_.push_back(binary(op, fp16, sram(0, 0), sram(0, 0), sram(0), n));
  }

  void sweep() {
    const element_type type = type_of(d_.work);
    const int longest = std::max({a_ * joined_tokens(), b_, round_.positions, other_tokens()});
    const std::int64_t all = std::int64_t{a_} * b_ * round_.positions * round_.tokens * round_.pairs;
    repeat(body_, all / longest, [&] {
      if (d_.work == wafer::arithmetic::copy_fp16) return unary_on(opcode::copy, longest);
      if (d_.work == wafer::arithmetic::dequant_fma_fp16) unary_on(opcode::expand_4_bit, longest);
      body_.push_back(multiply_add(type, sram(0), sram(0), sram(0), 0, longest));
    });
  }

  void product(int reduced, int one, int other, int times) {
    const auto [repeats, length] = std::minmax({one, other});
    add_product(body_, {reduced, repeats * times, length, 0, 0, 0, type_of(d_.work)});
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
      add_packed_product(body_, tile, !of_experts);
      finish_part(times);
    };
    add(matrices - with_more, vectors / matrices);
    if (with_more > 0) add(with_more, vectors / matrices + 1);
  }

  mesh_kernel norm() const {
    const int elements = base::ceil_div(a_, vectors());
    return rms_norm("norm", {elements, elements, 0, 0, 0, 0, 1e-5, fp16}, collectives::axis::row);
  }

  bool along_positions() const { return round_.positions >= a_; }
  template <class Add>
  void each_score_vector(Add&& add) {
    const auto [repeats, length] = std::minmax({a_, round_.positions});
    repeat(body_, std::int64_t{repeats} * round_.tokens, [&, n = length] { add(n); });
  }

  void softmax_maximum() {
    each_score_vector([&](int n) {
      binary_on({opcode::multiply, opcode::add}, n);
      along_positions() ? collect(opcode::maximum, n) : binary_on(opcode::maximum, n);
    });
  }

  void softmax_exponential() {
    each_score_vector([&](int n) {
      if (along_positions())
        body_.push_back(multiply_add(fp16, sram(0), sram(0), constant(-1), 0, n));
      else
        binary_on(opcode::subtract, n);
      unary_on(opcode::exponential, n);
      along_positions() ? collect(opcode::add, n) : binary_on(opcode::add, n);
    });
  }

  // Values of all queries by the sums of their exponentials.
  void softmax_division() {
    const int queries = std::min(vectors(), a_);
    const auto [repeats, length] = std::minmax({queries, base::ceil_div(a_, queries)});
    repeat(body_, round_.tokens, [&, r = repeats, n = length] {
      unary_on(opcode::reciprocal, queries);
      repeat(body_, r, [&] { binary_on(opcode::multiply, n); });
    });
  }

  expert_rank share_of_experts() const {
    expert_rank rank;
    rank.experts = a_;
    rank.own = vectors();
    return rank;
  }

  // The maximum, where it lies, and the number of that place.
  void best_score() {
    collect(opcode::maximum, a_);
    binary_on(opcode::at_least, a_);
    body_.push_back(copy(fp16, sram(0), constant(0), 1));
    body_.push_back(binary(opcode::multiply_accumulate, fp16, sram(0, 0), sram(0), sram(0), a_));
  }

  const descriptor& d_;
  round_extents round_;
  int a_;
  int b_;
  body_t body_;
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
