#include "firmware_stubs/kernels/top_k_search.h"

#include <stdexcept>

#include "firmware_stubs/kernels/attention.h"
#include "rtl_tlm/fabric/program/element_math.h"

namespace scribeline::kernels {

using namespace fabric;

namespace {

constexpr element_type integer = element_type::int16;
constexpr element_type count = element_type::int32;
constexpr int lowest = -32768;
constexpr int bins = 16;  // the lowest one's limit is reached by k scores already

}  // namespace

top_k_search::top_k_search(int scores, int chosen, element_type type_, address_counter& sram)
    : elements(scores), best(chosen), type(type_) {
  if (type != element_type::fp16 && type != element_type::bf16)
    throw std::invalid_argument("top-k search: scores are fp16 or bf16");
  const int per_count = bytes_of(count) / bytes_of(type);
  hit = sram.take(elements);
  limits = sram.take(bins - 1);
  counts = sram.take((bins - 1) * per_count);
  steps = sram.take(per_count);
  limit = sram.take(1);
}

// Bits of positive numbers are in order as integers, those of negative ones in reverse: -32768 + magnitude becomes
// -magnitude. Zeros of both signs become 0.
void top_k_search::add_integers(std::vector<instruction>& body, int address) const {
  const operand number = sram(address);
  const operand sign = sram(hit);
  const auto combine = [&](opcode op, const operand& dst, const operand& a, const operand& b) {
    body.push_back(binary(op, integer, dst, a, b, elements));
  };
  combine(opcode::at_least, sign, number, constant(0));
  combine(opcode::add, sign, sign, sign);
  combine(opcode::subtract, sign, sign, constant(1));  // 1 or -1
  combine(opcode::multiply, number, number, sign);     // 32768 - magnitude, which wraps to -32768 - magnitude
  combine(opcode::minimum, sign, sign, constant(0));   // 0 or -1
  combine(opcode::multiply, sign, sign, constant(lowest));
  combine(opcode::add, number, number, sign);
}

mesh_kernel top_k_search::round(int address, int step, collectives::axis along) const {
  mesh_kernel kernel;
  kernel.name = "top-k histogram";
  std::vector<instruction>& body = kernel.before;
  body.push_back(copy(count, sram(counts), constant(0), bins - 1));
  for (int bin = 1; bin < bins; ++bin) {
    const int bin_limit = limits + (bin - 1) * bytes_of(integer);
    // A core has few enough scores to count them in the lower half of 32 bit.
    const operand bin_count = sram(counts + (bin - 1) * bytes_of(count), 0);
    body.push_back(add(integer, sram(bin_limit), sram(limit), constant(bin * step), 1));
    body.push_back(binary(opcode::at_least, integer, sram(hit), sram(address), sram(bin_limit, 0), elements));
    body.push_back(add(integer, bin_count, bin_count, sram(hit), elements));
  }
  kernel.reduce = reduction{along, {count, bins - 1, counts, opcode::add}};
  kernel.after = {binary(opcode::at_least, count, sram(counts), sram(counts), constant(best), bins - 1),
                  copy(count, sram(steps), constant(0), 1),
                  add(count, sram(steps, 0), sram(steps, 0), sram(counts), bins - 1),
                  multiply_add(integer, sram(limit), sram(limit), constant(step), steps, 1)};
  return kernel;
}

std::vector<mesh_kernel> top_k_search::kernels(int address, collectives::axis along) const {
  std::vector<mesh_kernel> all;
  for (int step = 65536 / bins; step >= 1; step /= bins)
    all.push_back(round(address, step, along));
  std::vector<instruction> begin;
  add_integers(begin, address);
  begin.push_back(copy(integer, sram(limit), constant(lowest), 1));
  std::vector<instruction>& first = all.front().before;
  first.insert(first.begin(), begin.begin(), begin.end());
  return all;
}

void top_k_search::add_mask(std::vector<instruction>& body, int scores_address, int mask, int to) const {
  // Times the bits of the mask, which as an integer are a number like any other.
  const double bits = element_value(integer, element_bits(type, nothing_here));
  body.push_back(binary(opcode::at_least, integer, sram(hit), sram(scores_address), sram(limit, 0), elements));
  body.push_back(binary(opcode::subtract, integer, sram(hit), constant(1), sram(hit), elements));
  body.push_back(binary(opcode::multiply, integer, sram(hit), sram(hit), constant(bits), elements));
  body.push_back(binary(opcode::minimum, type, sram(to), sram(hit), sram(mask), elements));
}

}  // namespace scribeline::kernels
