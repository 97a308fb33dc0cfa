// The SC_MODULE around the engine: simulated time, completion, failures.
#include <catch2/catch.hpp>
#include <functional>

#include "rtl_tlm/base/error.h"
#include "rtl_tlm/fabric/fabric.h"
#include "rtl_tlm/fabric/program/validate.h"

using namespace scribeline;
using namespace scribeline::fabric;
using Catch::Matchers::Contains;

namespace {

using fabric_module = scribeline::fabric::fabric;

constexpr element_type f32 = element_type::fp32;

// 10 words from core (3, 0) to core (0, 0): 10 + 3 + 3 + 2 + 9 cycles to the last word, see test_wavelet_timing.
program message() {
  program p("message", 4, 1);
  p.add_route(core_at(3, 0), 5, port::ramp, port::west);
  p.add_route(rectangle(1, 0, 2, 1), 5, port::east, port::west);
  p.add_route(core_at(0, 0), 5, port::east, port::ramp);
  p.bind_output(core_at(3, 0), 2, 5).bind_input(core_at(0, 0), 0, 5);
  p.add_start_task(core_at(3, 0), 8, "send", {copy(f32, fabric_out(2), sram(64), 10)});
  p.add_start_task(core_at(0, 0), 8, "receive", {copy(f32, sram(64), fabric_in(0), 10), timestamp{2}});
  return p;
}

// Two cores that each send only after they have received.
program deadlock() {
  program p("deadlock", 2, 1);
  p.add_route(core_at(0, 0), 1, port::ramp, port::east).add_route(core_at(1, 0), 1, port::west, port::ramp);
  p.add_route(core_at(1, 0), 2, port::ramp, port::west).add_route(core_at(0, 0), 2, port::east, port::ramp);
  p.bind_output(core_at(0, 0), 2, 1).bind_input(core_at(1, 0), 0, 1);
  p.bind_output(core_at(1, 0), 2, 2).bind_input(core_at(0, 0), 0, 2);
  p.add_start_task(p.all(), 8, "after you",
                   {copy(f32, sram(0), fabric_in(0), 1), copy(f32, fabric_out(2), sram(0), 1)});
  return p;
}

class driver : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(driver);
  driver(const sc_core::sc_module_name& name, std::function<void()> work) : sc_module(name), work_(std::move(work)) {
    SC_THREAD(run);
  }

 private:
  void run() { work_(); }
  std::function<void()> work_;
};

fabric_config wse2_at_half_gigahertz() {
  return {wse2_chip(), base::frequency{0.5}};
}

}  // namespace

TEST_CASE("a program takes its cycles of simulated time, one program after the other") {
  fabric_module wafer("wafer", wse2_at_half_gigahertz());
  std::vector<double> times;
  run_result result;
  driver host("host", [&] {
    for (int i = 0; i < 2; ++i) {
      result = wafer.run(message());
      times.push_back(sc_core::sc_time_stamp().to_seconds());
    }
  });
  sc_core::sc_start();
  CHECK(result.at({0, 0}, 2) == base::cycles{28});
  REQUIRE(times.size() == 2);
  CHECK(times[0] == Approx(2e-9 * static_cast<double>(result.cycles.value())));
  CHECK(times[1] == Approx(2 * times[0]));
  CHECK(wafer.statistics().programs == 2);
  CHECK(wafer.statistics().word_hops == 60);
  CHECK(wafer.statistics().ramp_words == 40);
  CHECK(wafer.statistics().busy == result.cycles * 2);
}

TEST_CASE("values are written before the start and read when it is done") {
  fabric_module wafer("wafer", wse2_at_half_gigahertz());
  run_options options;
  options.values = true;
  wafer.load(message(), options);
  wafer.engine().write_vector({3, 0}, 64, f32, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  wafer.start();
  CHECK(wafer.busy());
  CHECK_THROWS_AS(wafer.start(), std::logic_error);
  CHECK_THROWS_AS(wafer.load(message()), std::logic_error);
  bool done = false;
  driver host("host", [&] {
    sc_core::wait(wafer.done());
    done = true;
  });
  sc_core::sc_start();
  CHECK(done);
  CHECK_FALSE(wafer.busy());
  CHECK(wafer.engine().read_vector({0, 0}, 64, f32, 3) == std::vector<double>{1, 2, 3});
}

TEST_CASE("what lies in SRAM stays from one program with values to the next of the same size") {
  fabric_module wafer("wafer", wse2_at_half_gigahertz());
  run_options options;
  options.values = true;
  program increment("increment", 4, 1);
  increment.add_start_task(increment.all(), 8, "add", {add(f32, sram(64), sram(64), constant(1), 2)});
  std::vector<double> found;
  driver host("host", [&] {
    wafer.load(increment, options);
    wafer.engine().write_vector({3, 0}, 64, f32, {10, 20, 30});
    wafer.start();
    sc_core::wait(wafer.done());
    wafer.run(message());  // without values: touches nothing
    wafer.run(increment, options);
    wafer.run(message(), options);
    found = wafer.engine().read_vector({0, 0}, 64, f32, 3);
  });
  sc_core::sc_start();
  CHECK(found == std::vector<double>{12, 22, 30});
  CHECK(wafer.engine().read_vector({1, 0}, 64, f32, 2) == std::vector<double>{2, 2});
  const program other("of another size", 2, 2);
  CHECK_THROWS_WITH(wafer.load(other, options),
                    Contains("2 columns and 2 rows cannot take the SRAM of one with 4 and 1"));
  CHECK_THROWS_AS(wafer.start(), std::logic_error);
  wafer.load(message(), options);
  CHECK(wafer.engine().read_vector({0, 0}, 64, f32, 3) == found);
}

TEST_CASE("a program that stands still is no progress, with the chain of waits") {
  fabric_module wafer("wafer", wse2_at_half_gigahertz());
  std::string text;
  driver host("host", [&] {
    try {
      wafer.run(deadlock());
    } catch (const base::no_progress& e) {
      text = e.what();
    }
  });
  sc_core::sc_start();
  CHECK_THAT(text, Contains("program \"deadlock\": cyclic wait:"));
  CHECK_THAT(text, Contains("(column 0, row 0): task \"after you\" waits for data of color 2"));
  CHECK_THAT(text, Contains("(column 1, row 0): task \"after you\" waits for data of color 1"));
}

TEST_CASE("a program that cannot run is refused when it is loaded, with its cores") {
  fabric_config config = wse2_at_half_gigahertz();
  config.chip.columns = 3;
  fabric_module wafer("wafer", config);
  CHECK_THROWS_AS(wafer.load(message()), program_error);
  CHECK_THROWS_AS(wafer.start(), std::logic_error);
  CHECK_THROWS_AS(wafer.result(), std::logic_error);
}

TEST_CASE("scalar code at the end of a program takes its cycles in both engines") {
  program p("long tail", 1, 1);
  p.add_start_task(p.all(), 8, "tail", {scalar_work{50'000}});
  fabric_config config = wse2_at_half_gigahertz();
  for (const engine_kind engine : {engine_kind::wavelet, engine_kind::burst}) {
    config.engine = engine;
    fabric_module wafer(sc_core::sc_gen_unique_name("wafer"), config);
    wafer.load(p);
    wafer.start();
    CHECK(wafer.result().outcome == run_outcome::finished);
    CHECK(wafer.result().cycles == base::cycles{50'000 + config.chip.core.task_dispatch_cycles});
  }
}

TEST_CASE("a run that is given up ends like one at its cycle limit") {
  program p("long", 1, 1);
  p.add_start_task(p.all(), 8, "count", {begin_loop{100'000}, scalar_work{10}, end_loop{}});
  fabric_config config = wse2_at_half_gigahertz();
  for (const engine_kind engine : {engine_kind::wavelet, engine_kind::burst}) {
    config.engine = engine;
    fabric_module wafer(sc_core::sc_gen_unique_name("wafer"), config);
    wafer.load(p);
    base::cycles reached;
    wafer.give_up_when([&](base::cycles now) {
      reached = now;
      return now > base::cycles{10'000};
    });
    wafer.start();
    CHECK(wafer.result().outcome == run_outcome::cycle_limit);
    CHECK(reached < base::cycles{40'000});
    CHECK_THROWS_AS(require_finished("long", wafer.result()), base::no_progress);
  }
}
