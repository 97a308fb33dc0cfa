// Hand-computed cycles, mechanism by mechanism.
#include <catch2/catch.hpp>

#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"

using namespace scribeline::fabric;
using scribeline::base::cycles;

namespace {

constexpr element_type f32 = element_type::fp32;

// `words` words from core (hops, 0) to core (0, 0); mark 1 when the sender's body starts, mark 2 at the receiver when
// all are stored.
program message(int hops, int words, queue_id out, queue_id in, bool on_thread) {
  program p("message", hops + 1, 1);
  p.add_route(core_at(hops, 0), 5, port::ramp, port::west);
  p.add_route(rectangle(1, 0, hops - 1, 1), 5, port::east, port::west);
  p.add_route(core_at(0, 0), 5, port::east, port::ramp);
  p.bind_output(core_at(hops, 0), out, 5).bind_input(core_at(0, 0), in, 5);
  vector_op send = copy(f32, fabric_out(out), sram(64), words);
  if (on_thread) send = send.on_thread(1);
  p.add_start_task(core_at(hops, 0), 8, "send", {send});
  p.add_start_task(core_at(0, 0), 8, "receive", {copy(f32, sram(64), fabric_in(in), words), timestamp{2}});
  return p;
}

cycles message_end(const fabric_chip& chip, int hops, int words, queue_id out, queue_id in, bool on_thread) {
  wavelet_engine engine(message(hops, words, out, in, on_thread), chip);
  const run_result result = engine.run();
  INFO(result.explanation);
  REQUIRE(result.outcome == run_outcome::finished);
  CHECK(result.word_hops == std::int64_t{hops} * words);
  CHECK(result.ramp_words == std::int64_t{2} * words);
  return result.at({0, 0}, 2);
}

}  // namespace

TEST_CASE("a message takes dispatch, set-up, ramps, hops and one cycle per word") {
  // WSE-2: dispatched 6, set up 4: first word in cycle 10; datapath 1, ramp 2, hops, ramp 2; the mark a cycle later.
  CHECK(message_end(wse2_chip(), 3, 10, 2, 0, true) == cycles{10 + 3 + 3 + 2 + 9 + 1});
  CHECK(message_end(wse2_chip(), 3, 10, 2, 0, false) == cycles{10 + 3 + 3 + 2 + 9 + 1});
  CHECK(message_end(wse2_chip(), 1, 1, 2, 0, true) == cycles{10 + 3 + 1 + 2 + 1});
  // WSE-3: send 7, two cycles a hop, receive 3.
  CHECK(message_end(wse3_chip(), 4, 6, 0, 0, false) == cycles{10 + 7 + 8 + 3 + 5 + 1});
  CHECK(message_end(wse3_chip(), 4, 6, 0, 0, true) == cycles{11 + 7 + 8 + 3 + 5 + 1});
}

TEST_CASE("queues that cover the round trip stream at one word per cycle, others do not") {
  // WSE-2: every queue does, thanks to the elastic ramps.
  for (const queue_id out : {0, 2, 4})
    for (const queue_id in : {0, 2, 4})
      CHECK(message_end(wse2_chip(), 2, 1000, out, in, true) == cycles{10 + 3 + 2 + 2 + 999 + 1});
  // WSE-3: eight words per round trip of 8 cycles, or of 9 for a microthread: 1000 words = 125 turns.
  CHECK(message_end(wse3_chip(), 2, 1000, 0, 0, false) == cycles{10 + 7 + 4 + 3 + 999 + 1});
  CHECK(message_end(wse3_chip(), 2, 1000, 0, 0, true) == cycles{11 + 7 + 4 + 3 + 124 * 9 + 7 + 1});
}
