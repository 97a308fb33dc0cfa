#include "rtl_tlm/fabric/formula/formula_exchange.h"

#include <stdexcept>

#include "rtl_tlm/fabric/formula/formula_parts.h"

namespace scribeline::fabric {
namespace {

using formula_parts::real;
using formula_parts::require_line;
using formula_parts::whole;

constexpr double hops_on_ring = 2;

double neighbour_on_ring(const fabric_timing& t) {
  return hops_on_ring * t.hop_cycles + t.stage_cycles();
}

}  // namespace

base::cycles ring_all_reduce(const fabric_timing& t, std::int64_t words, std::int64_t cores) {
  require_line(words, cores);
  if (cores == 1) return base::cycles{0};
  const double part = t.word_cycles * real(words) / real(cores);
  const double steps = 2 * real(cores - 1);
  return whole(t.launch_cycles + steps * (2 * part + neighbour_on_ring(t)) + (steps - 1) * t.phase_gap_cycles);
}

base::cycles two_tree_all_reduce(const fabric_timing& t, std::int64_t words, std::int64_t cores, std::int64_t groups) {
  require_line(words, cores);
  if (groups < 1 || cores % groups != 0) throw std::invalid_argument("groups must divide the cores of a line");
  if (cores == 1) return base::cycles{0};
  const std::int64_t size = cores / groups;
  const double vector = t.word_cycles * real(words);
  // The longer half of a line of n cores has n / 2 beside its centre; the centre takes two vectors if it has both.
  const auto chains = [&](std::int64_t n, double hops) {
    if (n == 1) return 0.0;
    return vector * (n > 2 ? 2 : 1) + real(n / 2) * (hops * t.hop_cycles + t.stage_cycles());
  };
  const double flood = vector + real(cores - cores / 2) * t.hop_cycles + t.stage_cycles();
  const double gaps = (size > 1 ? 1 : 0) + (groups > 1 ? 1 : 0);
  return whole(t.launch_cycles + chains(size, 1) + chains(groups, real(size)) + flood + gaps * t.phase_gap_cycles);
}

base::cycles scatter(const fabric_timing& t, std::int64_t words, std::int64_t cores) {
  require_line(words, cores);
  if (cores == 1) return base::cycles{0};
  const double others = real(cores - 1);
  return whole(t.launch_cycles + others * (t.word_cycles * real(words) + 1) + others * t.hop_cycles + t.stage_cycles());
}

base::cycles gather(const fabric_timing& t, std::int64_t words, std::int64_t cores) {
  require_line(words, cores);
  if (cores == 1) return base::cycles{0};
  const double others = real(cores - 1);
  return whole(t.launch_cycles + others * t.word_cycles * real(words) + t.hop_cycles + t.stage_cycles());
}

base::cycles ring_all_to_all(const fabric_timing& t, std::int64_t words, std::int64_t cores) {
  require_line(words, cores);
  if (cores == 1) return base::cycles{0};
  const double steps = real(cores - 1);
  const double chunks = real(cores) * steps / 2;
  return whole(t.launch_cycles + 2 * chunks * t.word_cycles * real(words) + steps * neighbour_on_ring(t) +
               (steps - 1) * t.phase_gap_cycles);
}

base::cycles edge_multicast(const fabric_timing& t, std::int64_t words, std::int64_t columns, std::int64_t rows) {
  require_line(words, columns);
  require_line(words, rows);
  return whole(t.launch_cycles + t.word_cycles * real(words) + real(columns + rows - 2) * t.hop_cycles +
               t.ramp_receive_cycles + t.execute_cycles);
}

}  // namespace scribeline::fabric
