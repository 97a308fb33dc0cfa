#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "tests/unit/scale_up_domain/domain_bench.h"

using namespace scribeline;
using namespace scribeline::platforms;
using sc_core::sc_time;

namespace {

sc_time full_frames(std::int64_t n) {
  return base::bandwidth{800}.duration(base::bytes{n * (4096 + 18 + 20)});
}

void check_incast(int senders, int pdus) {
  scale_up_config c;
  c.ranks = senders + 1;
  watched_domain d(c);
  for (int s = 1; s <= senders; ++s)
    d.net.rank(s).send(0, base::bytes{4096 * pdus});
  d.run();
  REQUIRE(d.arrivals.size() == static_cast<std::size_t>(senders));
  CHECK(d.arrivals.back().at == base::picoseconds(477'600) + full_frames(std::int64_t{senders} * pdus));
  CHECK(d.net.plane(0).statistics().buffer_bytes == 0);
}

}  // namespace

TEST_CASE("incast: the last byte of 2 senders is here at latency + N B / rate") {
  check_incast(2, 100);
}

TEST_CASE("incast: the last byte of 7 senders of one PDU is here at latency + N B / rate") {
  check_incast(7, 1);
}

TEST_CASE("incast: the last byte of 31 senders is here at latency + N B / rate") {
  check_incast(31, 50);
}

TEST_CASE("incast: the inputs share the output frame by frame") {
  scale_up_config c;
  c.ranks = 9;
  watched_domain d(c);
  for (int s = 1; s < 9; ++s)
    d.net.rank(s).send(0, base::bytes{4096 * 100});
  d.run();
  REQUIRE(d.arrivals.size() == 8);
  // All finish within one round of the last eight frames.
  CHECK(d.arrivals.back().at - d.arrivals.front().at == full_frames(7));
}

TEST_CASE("incast: victims of other outputs and of other channels are not held back") {
  scale_up_config c;
  c.ranks = 8;
  watched_domain d(c);
  for (int s = 1; s < 6; ++s)
    d.net.rank(s).send(0, base::bytes{4096 * 200}, 1);
  // From a rank that also sends into the incast, to one that nobody else sends to.
  d.net.rank(1).send(7, base::bytes{4096 * 20}, 2);
  // Over the incast's output, on the channel of responses.
  d.net.rank(0).read(6, base::bytes{4096 * 20}, 3);
  d.run();
  std::map<std::uint64_t, sc_time> last;
  for (const noted& n : d.arrivals)
    last[n.what.tag] = std::max(last[n.what.tag], n.at);
  // Its own port is shared with the incast's frames until their credit is used up, one by one.
  CHECK(last[2] <= base::picoseconds(477'600) + full_frames(2 * 20 + 1));
  // The output is shared with the other channel, one by one.
  CHECK(last[3] <= base::picoseconds(2 * 477'600) + base::picoseconds(840) + full_frames(2 * 20 + 1));
  // With the acknowledgement of the read command, a frame of 84 B.
  CHECK(last[1] == base::picoseconds(477'600) + full_frames(5 * 200 + 20) + base::picoseconds(840));
}
