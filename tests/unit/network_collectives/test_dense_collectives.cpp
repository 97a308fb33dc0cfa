#include <catch2/catch.hpp>

#include "firmware_stubs/network_collectives/closed_form_network.h"
#include "rtl_tlm/accelerator/accelerator_config.h"

using namespace scribeline;
using namespace scribeline::network_collectives;

namespace {

// 10 B/ns of payload, 100 ns one way, 20 ns of start, 50 ns for further phases.
accelerator::scale_up_config small_network() {
  accelerator::scale_up_config n{};
  n.domain_ranks = 8;
  n.gbytes_per_s = 40;
  n.payload_share = 0.5;
  n.collective_share = 0.5;
  n.one_way_ns = 100;
  n.start_ns = 20;
  n.phase_ns = 50;
  return n;
}

const option& of(const std::vector<option>& options, algorithm how) {
  for (const option& o : options)
    if (o.how == how) return o;
  throw std::out_of_range(to_string(how));
}

}  // namespace

TEST_CASE("all-reduce of 800 B on 4 ranks, by hand") {
  auto n = small_network();
  n.reduces_in_switch = true;
  const auto options = all_reduce_options(n, 4, 800);
  REQUIRE(options.size() == 4);
  CHECK(of(options, algorithm::one_shot).ns == Approx(20 + 100 + 3 * 800 / 10.0));
  CHECK(of(options, algorithm::two_shot).ns == Approx(20 + 50 + 200 + 2 * 0.75 * 800 / 10));
  CHECK(of(options, algorithm::ring).ns == Approx(20 + 50 + 600 + 2 * 0.75 * 800 / 10));
  CHECK(of(options, algorithm::in_network).ns == Approx(20 + 50 + 200 + 1.25 * 800 / 10));
  CHECK(of(options, algorithm::one_shot).bytes_sent == 2400);
  CHECK(best_all_reduce(n, 4, 800).how == algorithm::one_shot);
}

TEST_CASE("the best all-reduce changes from one-shot to two-shot with the size, where their forms cross") {
  const auto n = small_network();
  // 120 + 7 S / 10 = 270 + 1.75 S / 10
  const double crossing = 150 * 10 / 5.25;
  CHECK(best_all_reduce(n, 8, crossing * 0.99).how == algorithm::one_shot);
  CHECK(best_all_reduce(n, 8, crossing * 1.01).how == algorithm::two_shot);
  CHECK(best_all_reduce(n, 2, 1e9).how == algorithm::one_shot);  // two ranks send as much either way
}

TEST_CASE("a switch that reduces wins for long messages on more than two ranks") {
  auto n = small_network();
  n.reduces_in_switch = true;
  CHECK(best_all_reduce(n, 8, 1e9).how == algorithm::in_network);
  CHECK(best_all_reduce(n, 2, 1e9).how == algorithm::one_shot);
}

TEST_CASE("a library's own kernels end at their workspace") {
  auto n = small_network();
  n.staged_bytes_pair = 1000;
  n.staged_bytes_group = 500;
  CHECK(best_all_reduce(n, 2, 1000).how == algorithm::one_shot);
  CHECK(best_all_reduce(n, 2, 1001).how == algorithm::ring);
  CHECK(best_all_reduce(n, 4, 501).how == algorithm::ring);
  CHECK(best_gather(n, 4, 500).how == algorithm::direct);
  CHECK(best_gather(n, 4, 501).how == algorithm::ring);
}

TEST_CASE("all-gather of 800 B on 4 ranks, by hand") {
  const auto options = gather_options(small_network(), 4, 800);
  CHECK(of(options, algorithm::direct).ns == Approx(20 + 100 + 0.75 * 80));
  CHECK(of(options, algorithm::ring).ns == Approx(20 + 50 + 300 + 0.75 * 80));
}

TEST_CASE("one rank exchanges nothing") {
  CHECK(best_all_reduce(small_network(), 1, 1e6).ns == 0);
  CHECK(best_gather(small_network(), 1, 1e6).ns == 0);
}

TEST_CASE("no all-reduce beats the bytes that every rank must send, and larger ones take longer") {
  for (const char* name : {"jalapeno", "h200", "gb200"}) {
    const auto& n = accelerator::find_accelerator_preset(name)->config.network;
    for (int ranks = 2; ranks <= 8; ++ranks) {
      double before = 0;
      for (double bytes = 256; bytes < 1e9; bytes *= 4) {
        CAPTURE(name, ranks, bytes);
        const double ns = best_all_reduce(n, ranks, bytes).ns;
        CHECK(ns >= n.one_way_ns + bytes / n.gbytes_per_s);
        CHECK(ns >= before);
        before = ns;
      }
    }
  }
}

TEST_CASE("a small message between inference ASICs takes the published latency, NoC and start, then its bytes") {
  const auto& n = accelerator::find_accelerator_preset("jalapeno")->config.network;
  CHECK(n.one_way_ns == Approx(100 + 100 + 250 + 2 * 3 * 4.6));
  const double payload = 600 * 4096.0 / 4134;
  CHECK(best_all_reduce(n, 8, 14336).ns == Approx(130 + 477.6 + 7 * 14336 / payload));
}
