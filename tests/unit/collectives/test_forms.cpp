// The closed forms of ring, two-tree, scatter, gather, all-to-all and multicast against numbers worked out by hand, and
// against the engine where streams are long enough for what the forms leave out not to matter.
#include "rtl_tlm/fabric/formula/formula_exchange.h"

#include "tests/unit/collectives/run_collective.h"

using namespace scribeline;
using namespace scribeline::collectives;

namespace {

vector_spec words(int n) {
  vector_spec v;
  v.elements = n;  // fp32: an element is a word
  return v;
}

double measured(const fabric::program& p, const fabric::fabric_chip& chip) {
  fabric::wavelet_engine engine(p, chip);
  const fabric::run_result result = test::finished_run(engine);
  base::cycles begin{1'000'000'000}, end;
  for (const fabric::timestamp_record& record : result.timestamps) {
    if (record.mark == begin_mark) begin = std::min(begin, record.cycle);
    if (record.mark == end_mark) end = std::max(end, record.cycle);
  }
  return static_cast<double>((end - begin).value());
}

// The form leaves out the cores' own work, so it is below; not by more than `percent`.
void check(base::cycles form, double engine, double percent) {
  CAPTURE(form.value(), engine);
  CHECK(engine >= static_cast<double>(form.value()));
  CHECK(engine <= static_cast<double>(form.value()) * (1 + percent / 100));
}

}  // namespace

TEST_CASE("forms of the exchanges, by hand") {
  // WSE-2: hop 1, stage 2 + 1 + 2, a cycle per word.
  const fabric::fabric_timing t = fabric::wse2_timing();
  CHECK(fabric::ring_all_reduce(t, 64, 4).value() == 6 * (2 * 16 + 2 + 5));
  CHECK(fabric::ring_all_reduce(t, 6, 4).value() == 6 * (3 + 2 + 5));
  CHECK(fabric::two_tree_all_reduce(t, 64, 16, 4).value() ==
        (2 * 64 + 2 * (1 + 5)) + (2 * 64 + 2 * (4 + 5)) + (64 + 8 + 5));
  CHECK(fabric::two_tree_all_reduce(t, 64, 2, 1).value() == (64 + 1 + 5) + (64 + 1 + 5));
  CHECK(fabric::scatter(t, 64, 16).value() == 15 * 65 + 15 + 5);
  CHECK(fabric::gather(t, 64, 16).value() == 15 * 64 + 1 + 5);
  CHECK(fabric::ring_all_to_all(t, 64, 4).value() == 2 * 64 * (3 + 2 + 1) + 3 * (2 + 5));
  CHECK(fabric::edge_multicast(t, 64, 8, 4).value() == 64 + 7 + 3 + 2 + 1);
  for (const auto& none : {fabric::ring_all_reduce(t, 64, 1), fabric::two_tree_all_reduce(t, 64, 1, 1),
                           fabric::scatter(t, 64, 1), fabric::gather(t, 64, 1), fabric::ring_all_to_all(t, 64, 1)})
    CHECK(none.value() == 0);
  CHECK_THROWS_AS(fabric::two_tree_all_reduce(t, 64, 16, 3), std::invalid_argument);
  CHECK_THROWS_AS(fabric::gather(t, -1, 4), std::invalid_argument);
  CHECK_THROWS_AS(fabric::scatter(t, 1, 0), std::invalid_argument);
}

TEST_CASE("long exchanges take what their forms say") {
  for (const fabric::fabric_chip& chip : {fabric::wse2_chip(), fabric::wse3_chip()}) {
    const fabric::fabric_timing t = fabric::ideal_timing(chip);
    CAPTURE(chip.hop_cycles);
    check(fabric::ring_all_reduce(t, 2048, 8), measured(all_reduce_ring(chip, 8, 1, axis::row, words(2048)), chip), 10);
    for (const int groups : {2, 4, 8})
      check(fabric::two_tree_all_reduce(t, 2048, 16, groups),
            measured(all_reduce_two_tree(chip, 16, 1, axis::row, words(2048), groups), chip), 8);
    check(fabric::scatter(t, 512, 8), measured(scatter(chip, 8, 1, axis::row, words(512), 512 * 4 * 8), chip), 10);
    // Queues of WSE-3 give a synchronous stream 1.125 cycles a word, which `ideal_timing` does not know.
    check(fabric::gather(t, 512, 8), measured(gather(chip, 8, 1, axis::row, words(512), 512 * 4), chip), 15);
    // Every step ends with a copy of a chunk to its place: P - 1 chunks at two and more words a cycle.
    check(fabric::ring_all_to_all(t, 512, 4),
          measured(all_to_all(chip, 4, 1, axis::row, {words(512), 512 * 4 * 4, 512 * 4 * 12}), chip), 15);
    check(fabric::edge_multicast(t, 512, 16, 8),
          measured(edge_multicast(chip, 16, 8, 0, fabric::rectangle(0, 0, 16, 8), words(512),
                                  chip.core.task_dispatch_cycles),
                   chip),
          10);
  }
}
