// Looking at a run: what cores and routers do cycle by cycle, and what every link carried.
#include <catch2/catch.hpp>

#include "rtl_tlm/fabric/link_loads.h"
#include "rtl_tlm/fabric/wavelet/wavelet_probe.h"
#include "rtl_tlm/fabric/wavelet/wavelet_state.h"

using namespace scribeline;
using namespace scribeline::fabric;

namespace {

constexpr element_type f32 = element_type::fp32;

// `words` words from core (2, 0) to core (0, 0), which first does `delay` cycles of other work.
program late_reader(int words, int delay) {
  program p("late reader", 3, 1);
  p.add_route(core_at(2, 0), 5, port::ramp, port::west);
  p.add_route(core_at(1, 0), 5, port::east, port::west);
  p.add_route(core_at(0, 0), 5, port::east, port::ramp);
  p.bind_output(core_at(2, 0), 2, 5).bind_input(core_at(0, 0), 0, 5);
  p.add_start_task(core_at(2, 0), 8, "send", {copy(f32, fabric_out(2), sram(64), words)});
  p.add_start_task(core_at(0, 0), 8, "receive", {scalar_work{delay}, copy(f32, sram(64), fabric_in(0), words)});
  return p;
}

wavelet_engine engine_of(const program& p) {
  run_options options;
  options.merge_wires = false;
  return wavelet_engine(p, wse2_chip(), options);
}

}  // namespace

TEST_CASE("queues fill from the reader backwards, and stalls name their color") {
  wavelet_engine engine = engine_of(late_reader(100, 200));
  REQUIRE(engine.advance_to(base::cycles{5}));
  CHECK(engine.now() == base::cycles{5});
  CHECK(look_at(engine, {2, 0}).task == "send");
  CHECK(look_at(engine, {1, 0}).task == "idle");
  CHECK(look_at(engine, {1, 0}).stall == "idle");

  REQUIRE(engine.advance_to(base::cycles{100}));
  // Everything is full: 6 + 2 words at the reader, 2 + 1 in the routers on the way, 6 + 2 behind the sender.
  const core_view reader = look_at(engine, {0, 0});
  CHECK(reader.task == "receive");
  CHECK(reader.to_core == 8);
  CHECK(reader.queued[index(port::east)] == 3);
  CHECK(reader.stall == ".");  // it computes
  CHECK(reader.router_stall == "color 5 from east: no room");
  const core_view between = look_at(engine, {1, 0});
  CHECK(between.queued[index(port::east)] == 3);
  CHECK(between.router_stall == "color 5 from east: no room");
  const core_view sender = look_at(engine, {2, 0});
  CHECK(sender.queued[index(port::ramp)] == 8);
  CHECK(sender.stall == "no room for color 5");
  CHECK_FALSE(sender.steps);

  // All words are sent once the reader reads: it steps every cycle.
  REQUIRE(engine.advance_to(base::cycles{250}));
  CHECK(look_at(engine, {0, 0}).steps);
  CHECK(look_at(engine, {2, 0}).steps);
  CHECK(look_at(engine, {0, 0}).router_stall == ".");
}

TEST_CASE("a task is at work as long as one of its operations is") {
  program p = late_reader(100, 200);
  std::get<vector_op>(p.tasks[0].body[0]).thread = 1;
  wavelet_engine engine = engine_of(p);
  engine.advance_to(base::cycles{100});
  CHECK(engine.state().cores[engine.state().layout.core_of({2, 0})].main == main_state::idle);
  CHECK(look_at(engine, {2, 0}).task == "send");
  CHECK(look_at(engine, {2, 0}).stall == "no room for color 5");
  engine.run();
  CHECK(look_at(engine, {2, 0}).task == "idle");
}

TEST_CASE("a reader without data says so") {
  program p = late_reader(10, 0);
  p.tasks[0].body.insert(p.tasks[0].body.begin(), scalar_work{50});
  wavelet_engine engine = engine_of(p);
  engine.advance_to(base::cycles{30});
  CHECK(look_at(engine, {0, 0}).stall == "no data of color 5");
  CHECK_THROWS_AS(look_at(engine, {3, 0}), std::out_of_range);
}

TEST_CASE("watching a run cycle by cycle does not change it") {
  const program p = late_reader(300, 77);
  const run_result whole = wavelet_engine(p, wse2_chip()).run();
  wavelet_engine engine = engine_of(p);
  std::int64_t steps = 0;
  while (engine.advance_to(engine.now() + base::cycles{1}))
    steps += look_at(engine, {0, 0}).steps ? 1 : 0;
  const run_result watched = engine.run();
  CHECK(watched.outcome == run_outcome::finished);
  CHECK(watched.cycles == whole.cycles);
  CHECK(watched.word_hops == whole.word_hops);
  CHECK(steps == 300);
}

TEST_CASE("link loads count the words of every link and find the busiest") {
  for (const bool merged : {true, false}) {
    run_options options;
    options.merge_wires = merged;
    program p = late_reader(40, 0);
    p.add_route(core_at(0, 0), 6, port::ramp, port::east).add_route(core_at(1, 0), 6, port::west, port::ramp);
    p.bind_output(core_at(0, 0), 3, 6).bind_input(core_at(1, 0), 1, 6);
    p.tasks[1].body.push_back(copy(f32, fabric_out(3), sram(64), 7));
    p.add_start_task(core_at(1, 0), 9, "take", {copy(f32, sram(64), fabric_in(1), 7)});
    wavelet_engine engine(p, wse2_chip(), options);
    const run_result result = engine.run();
    REQUIRE(result.outcome == run_outcome::finished);
    const link_loads loads = loads_of(engine, base::cycles{100});
    CHECK(loads.words({2, 0}, port::west) == 40);
    CHECK(loads.words({1, 0}, port::west) == 40);
    CHECK(loads.words({0, 0}, port::east) == 7);
    CHECK(loads.words({1, 0}, port::east) == 0);
    const link_loads::summary all = loads.summarise();
    CHECK(all.words == result.word_hops);
    CHECK(all.links == 4);
    CHECK(all.used == 3);
    CHECK(all.max_utilisation == Approx(0.4));
    CHECK(all.mean_utilisation == Approx(0.87 / 4));
    CHECK(all.busiest == coordinate{1, 0});
    CHECK(all.busiest_side == port::west);
    CHECK(loads.summarise(port::east).words == 7);
  }
}
