// Single mechanisms of the burst engine, against hand-computed cycles and against the wavelet engine.
#include <catch2/catch.hpp>

#include <cstdlib>

#include "rtl_tlm/fabric/burst/burst_engine.h"
#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"

using namespace scribeline::fabric;
using scribeline::base::cycles;

namespace {

run_result burst_run(const program& p, const fabric_chip& chip) {
  run_result result = burst_engine(p, chip).run();
  INFO(result.explanation);
  REQUIRE(result.outcome == run_outcome::finished);
  return result;
}

}  // namespace

TEST_CASE("burst: an operation between SRAM vectors takes its elements over the rate") {
  const fabric_chip chip = wse2_chip();  // copies two 32-bit elements per cycle, adds one
  program p("local", 1, 1);
  p.add_start_task(p.all(), 8, "local",
                   {timestamp{1}, copy(element_type::fp32, sram(0), sram(8000), 1000), timestamp{2},
                    add(element_type::fp32, sram(0), sram(0), sram(8000), 1000), timestamp{3}});
  const run_result result = burst_run(p, chip);
  const cycles overhead{chip.core.timestamp_cycles + chip.core.vector_setup_cycles};
  CHECK(result.at({0, 0}, 2) - result.at({0, 0}, 1) == overhead + cycles{500});
  CHECK(result.at({0, 0}, 3) - result.at({0, 0}, 2) == overhead + cycles{1000});
}

TEST_CASE("burst: an operation that takes several messages takes them as they come") {
  // Two words from each of three senders that follow each other at 8/9 words per cycle.
  const fabric_chip chip = wse3_chip();
  for (const int late : {0, 1, 7, 50}) {
    program p("messages in one", 4, 1);
    p.add_route(core_at(0, 0), 0, port::east, port::ramp).bind_input(core_at(0, 0), 0, 0);
    p.add_switched_route(rectangle(1, 0, 2, 1), 0, {{port::ramp, port::west}, {port::east, port::west}});
    p.add_route(core_at(3, 0), 0, port::ramp, port::west);
    p.bind_output(rectangle(1, 0, 3, 1), 0, 0);
    for (int column = 1; column <= 3; ++column)
      p.add_start_task(core_at(column, 0), 8, "send",
                       {scalar_work{column * late}, copy(element_type::fp32, fabric_out(0), sram(0), 2)
                                                        .on_thread(0)
                                                        .then_control(control_word::advance_own_router())});
    p.add_start_task(core_at(0, 0), 8, "receive", {copy(element_type::fp32, sram(0), fabric_in(0), 6).on_thread(0)});
    INFO("late " << late);
    const std::int64_t reference = wavelet_engine(p, chip).run().cycles.value();
    CHECK(std::abs(burst_run(p, chip).cycles.value() - reference) <= 1);
  }
}

TEST_CASE("burst: a word that follows a control word finds the switch moved on") {
  // The message of column 3 waits at the router of column 2 for the end of that core's own; the control word between
  // them turns this router, and then the next one from the ramp to the west.
  for (const fabric_chip& chip : {wse2_chip(), wse3_chip()})
    for (const int words : {1, 2, 5, 8, 40}) {
      program p("switch", 4, 1);
      p.add_route(core_at(0, 0), 0, port::east, port::ramp);
      p.add_switched_route(core_at(1, 0), 0, {{port::east, port::ramp}, {port::east, port::west}});
      p.add_switched_route(core_at(2, 0), 0, {{port::ramp, port::west}, {port::east, port::west}});
      p.add_route(core_at(3, 0), 0, port::ramp, port::west);
      p.bind_input(rectangle(0, 0, 2, 1), 0, 0).bind_output(rectangle(2, 0, 2, 1), 0, 0);
      const vector_op send = copy(element_type::fp32, fabric_out(0), sram(0), words).on_thread(0);
      const auto both = control_word::for_path({switch_command::advance, switch_command::advance});
      p.add_start_task(core_at(2, 0), 8, "send", {vector_op(send).then_control(both)});
      p.add_start_task(core_at(3, 0), 8, "send", {send});
      p.add_start_task(rectangle(0, 0, 2, 1), 8, "receive", {copy(element_type::fp32, sram(0), fabric_in(0), words)});
      INFO(chip.name << ", " << words << " words");
      CHECK(std::abs(burst_run(p, chip).cycles.value() - wavelet_engine(p, chip).run().cycles.value()) <= 1);
    }
}

TEST_CASE("burst: two cores that both send first get stuck with one word more than the queues hold") {
  // The way of a word: output queue and ramp 2 + 2, router 2 and one on the link, ramp and input queue 2 + 6.
  for (const int words : {14, 15, 16, 17}) {
    program p("both send first", 2, 1);
    p.add_route(core_at(0, 0), 0, port::ramp, port::east).add_route(core_at(1, 0), 0, port::west, port::ramp);
    p.add_route(core_at(1, 0), 1, port::ramp, port::west).add_route(core_at(0, 0), 1, port::east, port::ramp);
    for (int column = 0; column < 2; ++column) {
      const region here = core_at(column, 0);
      p.bind_output(here, 0, column).bind_input(here, 0, 1 - column);
      p.add_start_task(here, 8, "exchange",
                       {copy(element_type::fp32, fabric_out(0), sram(0), words),
                        copy(element_type::fp32, sram(1000), fabric_in(0), words)});
    }
    INFO(words << " words");
    const run_outcome expected = words <= 15 ? run_outcome::finished : run_outcome::no_progress;
    CHECK(wavelet_engine(p, wse2_chip()).run().outcome == expected);
    CHECK(burst_engine(p, wse2_chip()).run().outcome == expected);
  }
}

TEST_CASE("burst: what a core does alone at the end of a run belongs to it, also beyond a limit") {
  program p("long", 2, 1);
  p.add_start_task(core_at(0, 0), 8, "scalar code", {scalar_work{50'000}, timestamp{1}});
  p.add_start_task(core_at(1, 0), 8, "local", {copy(element_type::fp32, sram(0), sram(8000), 1000).on_thread(1)});
  const run_result whole = wavelet_engine(p, wse2_chip()).run();
  burst_engine engine(p, wse2_chip());
  for (const int limit : {1000, 20'000, 50'000}) {
    const run_result part = engine.run_until(cycles{limit});
    CHECK(part.outcome == run_outcome::cycle_limit);
    CHECK(part.cycles == cycles{limit});
    CHECK(part.timestamps.empty());
  }
  const run_result rest = engine.run();
  CHECK(rest.outcome == run_outcome::finished);
  CHECK(rest.cycles == whole.cycles);
  CHECK(rest.at({0, 0}, 1) == whole.at({0, 0}, 1));
}

TEST_CASE("burst: words of links are counted when asked for, control words and words from and to the edge, too") {
  program p("through", 4, 1);
  p.add_route(p.all(), 1, port::west, port::east).add_edge_input({core_at(0, 0), port::west, 1, 7, 1, 1});
  p.add_edge_output({core_at(3, 0), port::east, 1});
  p.add_route(core_at(0, 0), 2, port::ramp, port::east).bind_output(core_at(0, 0), 0, 2);
  p.add_route(rectangle(1, 0, 3, 1), 2, port::west, port::east).add_edge_output({core_at(3, 0), port::east, 2});
  p.add_start_task(
      core_at(0, 0), 8, "send",
      {copy(element_type::fp32, fabric_out(0), sram(0), 5).then_control(control_word::advance_all_routers())});
  run_options options;
  options.link_loads = true;
  wavelet_engine wavelet(p, wse2_chip());
  burst_engine burst(p, wse2_chip(), options);
  const run_result words = wavelet.run();
  const run_result streams = burst.run();
  CHECK(streams.word_hops == words.word_hops);
  CHECK(streams.ramp_words == words.ramp_words);
  for (int column = 0; column < 3; ++column) {
    CHECK(burst.words_over({column, 0}, port::east) == 13);
    CHECK(burst.words_over({column, 0}, port::east) == wavelet.words_in({column + 1, 0}, port::west));
    CHECK(burst.words_over({column, 0}, port::west) == 0);
  }
  CHECK_THROWS_AS(burst.words_over({4, 0}, port::east), std::out_of_range);
  CHECK_THROWS_AS(burst_engine(p, wse2_chip()).words_over({0, 0}, port::east), std::logic_error);
}

TEST_CASE("what depends on data takes the assumed way in runs without values, or is refused") {
  const fabric_chip chip = wse2_chip();
  program p("branch", 1, 1);
  const auto with = [&](std::optional<bool> assumed) {
    p.tasks.clear();
    p.add_start_task(p.all(), 24, "test",
                     {activate_task{25, data_condition{64, assumed}}, timestamp{1}, scalar_work{3}});
    p.add_local_task(p.all(), 25, "sometimes", {timestamp{2}});
  };
  for (const bool assumed : {true, false}) {
    with(assumed);
    const run_result burst = burst_run(p, chip);
    const run_result wavelet = wavelet_engine(p, chip).run();
    CHECK(burst.timestamps.size() == (assumed ? 2 : 1));
    REQUIRE(burst.timestamps.size() == wavelet.timestamps.size());
    for (std::size_t i = 0; i < burst.timestamps.size(); ++i)
      CHECK(burst.timestamps[i].cycle == wavelet.timestamps[i].cycle);
  }
  with(std::nullopt);
  const auto refusal = Catch::Contains("task 24 \"test\": this depends on data: run with values");
  CHECK_THROWS_WITH(burst_engine(p, chip), refusal);
  CHECK_THROWS_WITH(wavelet_engine(p, chip), refusal);
  run_options options;
  options.values = true;
  CHECK_NOTHROW(wavelet_engine(p, chip, options));
}
