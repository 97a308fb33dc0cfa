// Simulated time of a token: its parts, and what bit errors do to it.
#include <catch2/catch.hpp>

#include "rtl_tlm/base/error.h"
#include "tests/unit/data_pipeline/tiny_pipeline.h"

using namespace scribeline;
using namespace scribeline::platforms;
using namespace scribeline::platforms::test;
using sc_core::sc_time;

TEST_CASE("the time of a token is links, waiting, firmware and the cycles of its programs") {
  tiny_pipeline p(grouped_dense(), 2, pipeline_config({5, 6}, 6));
  p.run();
  const data_pipeline& m = *p.machine;
  const link::link_config link = wafer::wafer_link();
  // 8 B of step, then the vector: 64 activations or 96 logits of 2 B.
  const sc_time links = link::zero_load_latency(link, base::bytes{8}) +
                        link::zero_load_latency(link, base::bytes{8 + 128}) +
                        link::zero_load_latency(link, base::bytes{8 + 192});
  const base::frequency clock{0.85};
  for (std::size_t i = 0; i < m.host.steps().size(); ++i) {
    INFO("position " << i);
    const host_step& s = m.host.steps()[i];
    const step_times t = m.times_of(i);
    CHECK(t.total() == s.came_back - s.sent);
    // The second token of the prompt waits for the first to leave the host's port, and for its wafer.
    if (i == 1)
      CHECK(t.waiting > sc_core::SC_ZERO_TIME);
    else
      CHECK(t.links == links);
    CHECK(t.firmware == sc_time(400, sc_core::SC_NS));
    sc_time fabric;
    for (const data_wafer& w : m.wafers) {
      const wafer_step& on = w.steps()[i];
      fabric += clock.duration(on.entry) + clock.duration(on.exit);
      base::cycles sum;
      for (const base::cycles kernel : on.kernels) {
        fabric += clock.duration(kernel);
        sum += kernel;
      }
      CHECK(sum == on.compute);
      CHECK(on.compute > base::cycles{1000});
    }
    CHECK(t.fabric == fabric);
  }
  CHECK(m.wafers[0].steps()[0].entry == base::cycles{0});
  CHECK(m.wafers[1].steps()[0].entry > base::cycles{0});
}

TEST_CASE("bad frames and retry change the time of tokens and none of their bits") {
  data_pipeline_config config = pipeline_config({5}, 16);
  config.link.llr.on = true;
  config.link.llr.replay_timeout_ns = 30'000;
  data_pipeline_config lossy = config;
  lossy.link.errors.frame_error_rate = 0.2;
  tiny_pipeline clean(latent_experts(), 2, config, "clean"), noisy(latent_experts(), 2, lossy, "noisy");
  clean.run();
  noisy.run();
  std::int64_t replayed = 0;
  for (const data_wafer& w : noisy.machine->wafers)
    replayed += w.downstream.statistics().frames_replayed;
  CHECK(replayed > 0);
  sc_time longer;
  for (std::size_t i = 0; i < 16; ++i) {
    INFO("position " << i);
    CHECK((noisy.machine->host.steps()[i].vector == clean.machine->host.steps()[i].vector));
    const step_times with = noisy.machine->times_of(i), without = clean.machine->times_of(i);
    CHECK(with.fabric == without.fabric);
    CHECK(with.links >= without.links);
    longer += with.links - without.links;
  }
  CHECK(longer > sc_time(5, sc_core::SC_US));  // a replay takes a round trip at least
}

TEST_CASE("tokens of a prompt wait for a receive buffer that holds one message, and none is lost") {
  data_pipeline_config config = pipeline_config({3, 1, 4, 1, 5, 9}, 2);
  config.link.lanes = 1;
  config.link.frame_payload_bytes = config.link.receive_buffer_bytes = 8 + 192;  // the logits just fit
  tiny_pipeline p(grouped_dense(), 2, config);
  p.run();
  one_mesh reference(grouped_dense());
  REQUIRE(p.machine->host.steps().size() == 7);
  for (const host_step& s : p.machine->host.steps())
    CHECK((s.vector == reference.decode(s.step)));
  // Activations of 8 + 128 B: the second one finds the first in the buffer until that is in the cores.
  CHECK(p.machine->wafers[0].downstream.statistics().credit_stall > sc_core::SC_ZERO_TIME);
}

TEST_CASE("a pipeline whose link goes down ends with who waits") {
  tiny_pipeline p(grouped_dense(), 2, pipeline_config({5}, 3));
  p.machine->wafers[0].downstream.take_down();
  std::string text;
  try {
    p.run();
  } catch (const sc_core::sc_report& report) {
    text = report.get_msg();
  }
  CHECK_THAT(text, Catch::Contains("with 0 of 3 tokens back") &&
                       Catch::Contains("pipeline.wafer_0: 1 tokens have left") && Catch::Contains("the link is down"));
}
