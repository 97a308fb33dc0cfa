// Routers, cores and tasks, one mechanism at a time. Times of WSE-2 unless said otherwise: a task body begins 6 cycles
// after its task was picked, a vector operation takes its first step 4 cycles after its instruction.
#include <catch2/catch.hpp>

#include <memory>
#include <variant>

#include "rtl_tlm/fabric/link_lengths.h"
#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"

using namespace scribeline::fabric;
using scribeline::base::cycles;

namespace {

constexpr element_type f32 = element_type::fp32;
constexpr element_type i32 = element_type::int32;

// A straight connection on one color: from -> to, in one row.
void connect(program& p, coordinate from, coordinate to, color_id color, queue_id out, queue_id in) {
  const port ahead = to.column > from.column ? port::east : port::west;
  p.add_route(core_at(from.column, from.row), color, port::ramp, ahead);
  p.bind_output(core_at(from.column, from.row), out, color);
  for (coordinate c = neighbour(from, ahead); c != to; c = neighbour(c, ahead))
    p.add_route(core_at(c.column, c.row), color, opposite(ahead), ahead);
  p.add_route(core_at(to.column, to.row), color, opposite(ahead), port::ramp);
  p.bind_input(core_at(to.column, to.row), in, color);
}

run_result run_finished(const program& p, const fabric_chip& chip = wse2_chip()) {
  wavelet_engine engine(p, chip);
  run_result result = engine.run();
  INFO(result.explanation);
  REQUIRE(result.outcome == run_outcome::finished);
  return result;
}

}  // namespace

TEST_CASE("two colors on one link take turns word by word") {
  program p("turns", 4, 1);
  connect(p, {0, 0}, {3, 0}, 0, 2, 0);
  connect(p, {1, 0}, {3, 0}, 1, 2, 1);
  p.add_start_task(core_at(0, 0), 24, "long", {copy(f32, fabric_out(2), sram(0), 100).on_thread(1)});
  p.add_start_task(core_at(1, 0), 24, "short", {copy(f32, fabric_out(2), sram(0), 20).on_thread(1)});
  p.add_start_task(core_at(3, 0), 24, "receive",
                   {copy(f32, sram(0), fabric_in(0), 100).on_thread(1).then_activate(25),
                    copy(f32, sram(1024), fabric_in(1), 20).on_thread(2).then_activate(26)});
  p.add_local_task(core_at(3, 0), 25, "long done", {timestamp{1}});
  p.add_local_task(core_at(3, 0), 26, "short done", {timestamp{2}});
  const run_result result = run_finished(p);
  // At router 1 the short one's words come from cycle 13 on, the long one's from 14 on. The short one leaves in 13, has
  // the first turn in 14 (the slot behind the one that is remembered at start), then every other one: 20th word in 50.
  // To the core 2 hops and 2 of ramp, then completion and dispatch, 9. The link is never idle until word 120, in 132.
  CHECK(result.at({3, 0}, 2) == cycles{50 + 2 + 2 + 9});
  CHECK(result.at({3, 0}, 1) == cycles{132 + 2 + 2 + 9});
}

TEST_CASE("a multicast goes at the pace of its slowest branch") {
  program p("multicast", 3, 1);
  const color_id c = 3;
  p.add_route(core_at(0, 0), c, port::ramp, port::east).bind_output(core_at(0, 0), 2, c);
  p.add_route(core_at(1, 0), c, port::west, {port::ramp, port::east});
  p.add_route(core_at(2, 0), c, port::west, port::ramp);
  p.bind_input(rectangle(1, 0, 2, 1), 0, c);
  p.add_start_task(core_at(0, 0), 24, "send", {copy(f32, fabric_out(2), sram(0), 100).on_thread(1)});
  p.add_start_task(core_at(1, 0), 24, "late", {scalar_work{1000}, copy(f32, sram(0), fabric_in(0), 100)});
  p.add_start_task(core_at(2, 0), 24, "early", {copy(f32, sram(0), fabric_in(0), 100), timestamp{1}});
  // The late core starts in cycle 6 + 1000 + 4; its queue holds 8 words, so the early one has at most 8 before that.
  const std::int64_t early_done = run_finished(p).at({2, 0}, 1).value();
  CHECK(early_done >= 1010 + 100 - 8);
  CHECK(early_done <= 1010 + 100 + 4);
}

TEST_CASE("a control word switches its router for the next sender, ring or not") {
  for (const bool ring : {false, true}) {
    program p("switch", 3, 1);
    const color_id c = 0;
    p.add_route(core_at(0, 0), c, port::east, port::ramp).bind_input(core_at(0, 0), 0, c);
    p.add_switched_route(core_at(1, 0), c, {{port::ramp, port::west}, {port::east, port::west}}, ring);
    p.add_route(core_at(2, 0), c, port::ramp, port::west);
    p.bind_output(rectangle(1, 0, 2, 1), 2, c);
    const vector_op send = copy(i32, fabric_out(2), sram(0), 4);
    // Core 1 sends, hands over to core 2, and in a ring gets its turn back.
    p.add_start_task(core_at(1, 0), 24, "first", {send.then_control(control_word::advance_own_router()), send});
    p.add_start_task(core_at(2, 0), 24, "second",
                     {send.then_control(control_word::for_path({switch_command::nop, switch_command::advance}))});
    p.add_start_task(core_at(0, 0), 24, "root", {copy(i32, sram(0), fabric_in(0), ring ? 12 : 8)});
    run_options options;
    options.values = true;
    wavelet_engine engine(p, wse2_chip(), options);
    engine.write_vector({1, 0}, 0, i32, {11, 12, 13, 14});
    engine.write_vector({2, 0}, 0, i32, {21, 22, 23, 24});
    const run_result result = engine.run();
    INFO(result.explanation);
    if (ring) {
      CHECK(result.outcome == run_outcome::finished);
      CHECK(engine.read_vector({0, 0}, 0, i32, 12) ==
            std::vector<double>{11, 12, 13, 14, 21, 22, 23, 24, 11, 12, 13, 14});
    } else {
      // The last words of core 1 wait for a position that never comes back.
      CHECK(result.outcome == run_outcome::no_progress);
      CHECK_THAT(result.explanation, Catch::Contains("waits for the switch, which receives from elsewhere"));
    }
  }
}

TEST_CASE("cores that wait for each other are printed as a circle") {
  program p("circle", 2, 1);
  connect(p, {0, 0}, {1, 0}, 0, 2, 0);
  connect(p, {1, 0}, {0, 0}, 1, 2, 0);
  for (int column = 0; column < 2; ++column)
    p.add_start_task(core_at(column, 0), 24, "receive, then send",
                     {copy(f32, sram(0), fabric_in(0), 8), copy(f32, fabric_out(2), sram(0), 8)});
  wavelet_engine engine(p, wse2_chip());
  const run_result result = engine.run();
  REQUIRE(result.outcome == run_outcome::no_progress);
  CHECK(result.cyclic_wait);
  CHECK_THAT(result.explanation,
             Catch::Contains("cyclic wait:") &&
                 Catch::Contains("(column 0, row 0): task \"receive, then send\" waits for data of color 1") &&
                 Catch::Contains("(column 1, row 0): task \"receive, then send\" waits for data of color 0"));
}

TEST_CASE("full queues that wait for each other are printed as a circle") {
  for (const bool merge_wires : {false, true}) {
    program p("full", 2, 1);
    connect(p, {0, 0}, {1, 0}, 0, 2, 0);
    connect(p, {1, 0}, {0, 0}, 1, 2, 0);
    for (int column = 0; column < 2; ++column)
      p.add_start_task(core_at(column, 0), 24, "send, then receive",
                       {copy(f32, fabric_out(2), sram(0), 500), copy(f32, sram(0), fabric_in(0), 500)});
    run_options options;
    options.merge_wires = merge_wires;
    wavelet_engine engine(p, wse2_chip(), options);
    const run_result result = engine.run();
    INFO(result.explanation);
    REQUIRE(result.outcome == run_outcome::no_progress);
    CHECK(result.cyclic_wait);
    CHECK_THAT(result.explanation,
               Catch::Contains("(column 0, row 0): task \"send, then receive\" waits for room") &&
                   Catch::Contains("(column 1, row 0): task \"send, then receive\" waits for room"));
  }
}

TEST_CASE("words that nobody reads and data that nobody sends are named") {
  program p("unread", 2, 1);
  connect(p, {0, 0}, {1, 0}, 0, 2, 0);
  p.add_start_task(core_at(0, 0), 24, "send", {copy(f32, fabric_out(2), sram(0), 3)});
  wavelet_engine unread(p, wse2_chip());
  CHECK_THAT(unread.run().explanation, Catch::Contains("(column 1, row 0): 3 words of color 0 that nobody reads"));
  p.add_start_task(core_at(1, 0), 24, "receive", {copy(f32, sram(0), fabric_in(0), 5)});
  wavelet_engine starved(p, wse2_chip());
  CHECK_THAT(starved.run().explanation,
             Catch::Contains("waits for data of color 0, 2 elements to go") &&
                 Catch::Contains("(column 0, row 0): the core sends no more words of color 0"));
}

TEST_CASE("words of one color that meet in a router are a violation") {
  for (const int delay : {0, 1}) {
    program p("meeting", 3, 1);
    p.merging_routes = true;
    p.add_route(core_at(0, 0), 0, port::ramp, port::east);
    p.add_route(core_at(2, 0), 0, port::ramp, port::west);
    p.add_route(core_at(1, 0), 0, {port::east, port::west}, port::ramp);
    for (const int column : {0, 2})
      p.bind_output(core_at(column, 0), 2, 0);
    p.bind_input(core_at(1, 0), 0, 0);
    const vector_op send = copy(f32, fabric_out(2), sram(0), 1);
    p.add_start_task(core_at(0, 0), 24, "send", {send});
    p.add_start_task(core_at(2, 0), 24, "send", {scalar_work{delay}, send});
    p.add_start_task(core_at(1, 0), 24, "receive", {copy(f32, sram(0), fabric_in(0), 2)});
    wavelet_engine engine(p, wse2_chip());
    const run_result result = engine.run();
    if (delay == 0) {
      // First step in cycle 10, at the router in 13, at the neighbour in 14.
      CHECK(result.outcome == run_outcome::violation);
      CHECK(result.violation ==
            "two words of color 0 enter the router at (column 1, row 0) from two sides in cycle 14");
    } else {
      CHECK(result.outcome == run_outcome::finished);
    }
  }
}

TEST_CASE("words of a core meet words that are on a long link already") {
  program p("meeting", 3, 1);
  p.merging_routes = true;
  p.add_route(core_at(0, 0), 0, port::ramp, port::east).bind_output(core_at(0, 0), 2, 0);
  p.add_route(core_at(1, 0), 0, {port::west, port::ramp}, port::east).bind_output(core_at(1, 0), 2, 0);
  p.add_route(core_at(2, 0), 0, port::west, port::ramp).bind_input(core_at(2, 0), 0, 0);
  const vector_op send = copy(f32, fabric_out(2), sram(0), 1);
  p.add_start_task(core_at(0, 0), 24, "send", {send});
  p.add_start_task(core_at(1, 0), 24, "send", {scalar_work{9}, send});
  p.add_start_task(core_at(2, 0), 24, "receive", {copy(f32, sram(0), fabric_in(0), 2)});
  link_lengths lengths(3, 1);
  lengths.set_east({0, 0}, 10);
  run_options options;
  options.lengths = std::make_shared<link_lengths>(lengths);
  const run_result result = wavelet_engine(p, wse2_chip(), options).run();
  // From afar: at the router in 13, at the neighbour in 23. The neighbour's own first step in 19 is there in 22.
  CHECK(result.outcome == run_outcome::finished);
  std::get<scalar_work>(p.tasks[1].body[0]).cycles = 10;
  const run_result meeting = wavelet_engine(p, wse2_chip(), options).run();
  CHECK(meeting.outcome == run_outcome::violation);
  CHECK(meeting.violation == "two words of color 0 enter the router at (column 1, row 0) from two sides in cycle 23");
}

TEST_CASE("tasks run by priority, then by id, and wait while they are blocked") {
  program p("tasks", 1, 1);
  const region here = core_at(0, 0);
  const auto mark = [](std::uint16_t n) { return std::vector<instruction>{timestamp{n}}; };
  p.add_task({here, 30, "low", 0, true, false, std::nullopt, -1, mark(30)});
  p.add_task({here, 31, "high", 5, true, false, std::nullopt, -1, {timestamp{31}, unblock_task{24}}});
  p.add_task({here, 29, "low, lower id", 0, true, false, std::nullopt, -1, mark(29)});
  p.add_task({here, 24, "blocked", 9, true, true, std::nullopt, -1, mark(24)});
  const run_result result = run_finished(p);
  // Body of 31 at 6: timestamp 5, unblock 1 cycle; each dispatch 6.
  CHECK(result.at({0, 0}, 31) == cycles{6});
  CHECK(result.at({0, 0}, 24) == cycles{6 + 5 + 1 + 6});
  CHECK(result.at({0, 0}, 29) == cycles{18 + 5 + 6});
  CHECK(result.at({0, 0}, 30) == cycles{29 + 5 + 6});
}

TEST_CASE("a task is activated if a word in memory is not zero, and the test takes its time") {
  program p("branch", 1, 2);
  p.add_start_task(
      p.all(), 24, "test",
      {activate_task{26, data_condition{affine(64, 0, 2), std::nullopt}}, timestamp{1}, activate_task{25}});
  p.add_local_task(p.all(), 25, "always", {timestamp{25}});
  p.add_local_task(p.all(), 26, "sometimes", {timestamp{26}});
  run_options options;
  options.values = true;
  wavelet_engine engine(p, wse2_chip(), options);
  const std::int16_t set = 0x100;
  engine.write_sram({0, 1}, 66, &set, 2);  // row 0 looks at byte 64, row 1 at 66
  const run_result result = engine.run();
  REQUIRE(result.outcome == run_outcome::finished);
  // Not zero: load, compare, branch, activate. Zero: load, compare, a taken branch of 6.
  CHECK(result.at({0, 0}, 1) == cycles{6 + 8});
  CHECK(result.at({0, 1}, 1) == cycles{6 + 4});
  CHECK(result.at({0, 1}, 26) == result.at({0, 1}, 25) + cycles{5 + 6});
  CHECK(result.timestamps.size() == 5);
}

TEST_CASE("loops take their back-edges and address by iteration") {
  program p("loops", 1, 1);
  p.add_start_task(core_at(0, 0), 24, "loop",
                   {begin_loop{3}, begin_loop{2}, scalar_work{10}, end_loop{}, end_loop{}, timestamp{1}, begin_loop{0},
                    scalar_work{1000}, end_loop{}, timestamp{2}});
  const run_result result = run_finished(p);
  // Six times 10, a back-edge of 9 after each but the last of both loops: 3 inner, 2 outer.
  CHECK(result.at({0, 0}, 1) == cycles{6 + 60 + 3 * 9 + 2 * 9});
  CHECK(result.at({0, 0}, 2) == cycles{111 + 5});

  program q("addresses", 1, 1);
  const affine to = affine(0).with_iteration(8, 32);
  q.add_start_task(core_at(0, 0), 24, "fill",
                   {begin_loop{3}, begin_loop{2}, copy(i32, sram(to), constant(7), 1), end_loop{}, end_loop{}});
  run_options options;
  options.values = true;
  wavelet_engine engine(q, wse2_chip(), options);
  REQUIRE(engine.run().outcome == run_outcome::finished);
  for (int i = 0; i < 24; ++i)
    CHECK(engine.read_vector({0, 0}, 4 * i, i32, 1)[0] == ((i % 8 == 0 || i % 8 == 2) ? 7 : 0));
}

TEST_CASE("a data task runs once for every word, with the word as its argument") {
  program p("data", 2, 1);
  connect(p, {0, 0}, {1, 0}, 0, 2, 0);
  p.add_start_task(core_at(0, 0), 24, "send", {copy(i32, fabric_out(2), sram(0), 3)});
  task t{core_at(1, 0), 0, "on data", 0, false, false, queue_id{0}, 128, {}};
  t.body = {timestamp{1}, add(i32, sram(64), sram(64), sram(128), 1)};
  p.add_task(t);
  run_options options;
  options.values = true;
  wavelet_engine engine(p, wse2_chip(), options);
  engine.write_vector({0, 0}, 0, i32, {5, 6, 7});
  const run_result result = engine.run();
  REQUIRE(result.outcome == run_outcome::finished);
  CHECK(result.timestamps.size() == 3);
  CHECK(engine.read_vector({1, 0}, 64, i32, 1)[0] == 18);
  // First word: step in 10, datapath 1, ramp 2, hop 1, ramp 2: at the core in 16; dispatched, body 6 cycles later.
  CHECK(result.timestamps[0].cycle == cycles{22});
  // Timestamp 5, set-up 4, one step; the next word waits already.
  CHECK(result.timestamps[1].cycle == cycles{22 + 5 + 4 + 1 + 6});
}

TEST_CASE("a control word activates a task at the cores it reaches") {
  program p("activation", 3, 1);
  connect(p, {0, 0}, {2, 0}, 0, 2, 0);
  p.add_start_task(core_at(0, 0), 24, "send",
                   {copy(f32, fabric_out(2), sram(0), 5).then_control(control_word{}.activating(30))});
  p.add_start_task(core_at(2, 0), 24, "receive", {copy(f32, sram(0), fabric_in(0), 5).on_thread(1)});
  p.add_local_task(core_at(2, 0), 30, "end of stream", {timestamp{1}});
  // Words step in 10..14, the control word in 15; datapath 1, ramp 2, two hops, ramp 2, dispatch 6.
  CHECK(run_finished(p).at({2, 0}, 1).value() == 15 + 3 + 2 + 2 + 6);
}

TEST_CASE("microthreads share the datapath in turns") {
  program p("threads", 3, 1);
  connect(p, {0, 0}, {1, 0}, 0, 2, 0);
  connect(p, {2, 0}, {1, 0}, 1, 2, 1);
  for (const int column : {0, 2})
    p.add_start_task(core_at(column, 0), 24, "send", {copy(f32, fabric_out(2), sram(0), 200).on_thread(1)});
  p.add_start_task(core_at(1, 0), 24, "receive",
                   {copy(f32, sram(0), fabric_in(0), 200).on_thread(1).then_activate(25),
                    copy(f32, sram(1024), fabric_in(1), 200).on_thread(2).then_activate(26)});
  p.add_local_task(core_at(1, 0), 25, "a", {timestamp{1}});
  p.add_local_task(core_at(1, 0), 26, "b", {timestamp{2}});
  const run_result result = run_finished(p);
  // Words arrive from 16 on, two per cycle at the routers' sides but one step per cycle: 400 steps.
  const std::int64_t last = std::max(result.at({1, 0}, 1).value(), result.at({1, 0}, 2).value());
  CHECK(last >= 16 + 400);
  CHECK(last <= 16 + 400 + 30);
}

TEST_CASE("operations between SRAM vectors take the measured rates") {
  const auto duration = [](const vector_op& v, const fabric_chip& chip, bool bank_conflicts = false) {
    program p("local", 1, 1);
    p.add_start_task(core_at(0, 0), 24, "op", {timestamp{1}, v, timestamp{2}});
    run_options options;
    options.bank_conflicts = bank_conflicts;
    wavelet_engine engine(p, chip, options);
    const run_result result = engine.run();
    REQUIRE(result.outcome == run_outcome::finished);
    return (result.at({0, 0}, 2) - result.at({0, 0}, 1)).value() - chip.core.timestamp_cycles - 4;
  };
  constexpr element_type f16 = element_type::fp16;
  CHECK(duration(copy(f16, sram(0), sram(8192), 4820), wse3_chip()) == 1000);
  CHECK(duration(copy(f32, sram(0), sram(24576), 2440), wse3_chip()) == 1000);
  CHECK(duration(multiply_add(f16, sram(0), sram(0), sram(8192), 16384, 2920), wse3_chip()) == 1000);
  CHECK(duration(multiply_add(f32, sram(0), sram(0), sram(8192), 16384, 500), wse3_chip()) == 1000);
  CHECK(duration(multiply_add(f16, sram(0), sram(0), sram(8192), 16384, 2000), wse2_chip()) == 1000);
  // Both vectors in the first bank of 6 KiB: every step takes a cycle more.
  CHECK(duration(copy(f32, sram(0), sram(2048), 244), wse3_chip(), true) == 200);
  CHECK(duration(copy(f32, sram(0), sram(6144), 244), wse3_chip(), true) == 100);
}

TEST_CASE("words that are combined with a vector in the bank of the result take a cycle more each") {
  const auto duration = [](int operand_address, int result_address, bool bank_conflicts) {
    constexpr int words = 40;
    program p("message", 2, 1);
    p.add_route(core_at(0, 0), 3, port::ramp, port::east).add_route(core_at(1, 0), 3, port::west, port::ramp);
    p.bind_output(core_at(0, 0), 2, 3).bind_input(core_at(1, 0), 0, 3);
    p.add_start_task(core_at(0, 0), 24, "send", {copy(f32, fabric_out(2), sram(0), words)});
    p.add_start_task(core_at(1, 0), 24, "add",
                     {add(f32, sram(result_address), fabric_in(0), sram(operand_address), words), timestamp{1}});
    run_options options;
    options.bank_conflicts = bank_conflicts;
    const run_result result = wavelet_engine(p, wse2_chip(), options).run();
    REQUIRE(result.outcome == run_outcome::finished);
    return result.at({1, 0}, 1).value();
  };
  const std::int64_t undisturbed = duration(0, 6144, false);
  CHECK(duration(0, 6144, true) == undisturbed);               // banks of 6 KiB: 0 and 1
  CHECK(duration(0, 0, true) == undisturbed);                  // in place: read and written together
  CHECK(duration(0, 4096, false) == undisturbed);              // the option is off
  CHECK(duration(0, 4096, true) == undisturbed + 40);          // both in bank 0
  CHECK(duration(6144 - 40, 8192, true) == undisturbed + 30);  // the first ten operands lie in bank 0, the others in 1
}

TEST_CASE("an operation of no elements completes at once") {
  program p("empty", 1, 1);
  p.add_start_task(
      core_at(0, 0), 24, "op",
      {copy(f32, sram(0), sram(64), 0), timestamp{1}, copy(f32, sram(0), sram(64), 0).on_thread(1).then_activate(25)});
  p.add_local_task(core_at(0, 0), 25, "after", {timestamp{2}});
  const run_result result = run_finished(p);
  CHECK(result.at({0, 0}, 1) == cycles{6 + 4});
  // Set-up in 15..18, active three cycles after the last of them, dispatch 6.
  CHECK(result.at({0, 0}, 2) == cycles{18 + 3 + 6});
}

TEST_CASE("the edge feeds words at its pace and takes what comes out") {
  program p("edge", 3, 2);
  p.add_route(p.all(), 4, port::west, port::east);
  p.add_edge_input({rectangle(0, 0, 1, 2), port::west, 4, affine(10, 0, 5), 50, 3});
  p.add_edge_output({rectangle(2, 0, 1, 2), port::east, 4});
  run_options options;
  options.values = true;
  wavelet_engine engine(p, wse2_chip(), options);
  engine.set_edge_words({0, 1}, port::west, 4, {100, 101});
  REQUIRE(engine.run().outcome == run_outcome::finished);
  const auto north = engine.edge_output_record({2, 0}, port::east, 4);
  CHECK(north.words == 10);
  CHECK(north.first == cycles{50 + 2});
  CHECK(north.last == cycles{50 + 2 + 9 * 3});
  const auto south = engine.edge_output_record({2, 1}, port::east, 4);
  CHECK(south.words == 15);
  CHECK(south.values[1] == 101);
  CHECK(south.values[2] == 2);
}

TEST_CASE("collecting and special operations compute what they say") {
  constexpr element_type f16 = element_type::fp16;
  program p("collect", 1, 1);
  p.add_start_task(
      core_at(0, 0), 24, "ops",
      {binary(opcode::multiply_accumulate, f16, sram(0, 0), sram(16), sram(32), 3),
       add(f16, sram(2, 0), sram(2, 0), sram(16), 3), unary(opcode::exponential, f16, sram(48), sram(16), 3),
       unary(opcode::reciprocal, f16, sram(64), sram(16), 3),
       unary(opcode::reciprocal_root, f16, sram(80), sram(32), 3),
       binary(opcode::at_least, f16, sram(96), sram(16), constant(2), 3)});
  run_options options;
  options.values = true;
  wavelet_engine engine(p, wse2_chip(), options);
  engine.write_vector({0, 0}, 0, f16, {0.5, 10});
  engine.write_vector({0, 0}, 16, f16, {1, 2, 4});
  engine.write_vector({0, 0}, 32, f16, {4, 16, 0.25});
  const run_result result = engine.run();
  REQUIRE(result.outcome == run_outcome::finished);
  const auto read = [&](int address) { return engine.read_vector({0, 0}, address, f16, 3); };
  CHECK(engine.read_vector({0, 0}, 0, f16, 2) == std::vector<double>{0.5 + 4 + 32 + 1, 17});
  CHECK(read(64) == std::vector<double>{1, 0.5, 0.25});
  CHECK(read(80) == std::vector<double>{0.5, 0.25, 2});
  CHECK(read(96) == std::vector<double>{0, 1, 1});
  CHECK(read(48)[1] == Approx(std::exp(2.0)).epsilon(1.0 / 2048));
  // Dispatch 6; set-ups of 4; three elements at 2, 4, 0.5, 0.5, 0.5 and 4 per cycle.
  CHECK(result.cycles.value() == 6 + 6 * 4 + 2 + 1 + 6 + 6 + 6 + 1);

  // Of a second operation of three elements into the same sum, two descriptors are there already.
  const vector_op sum = binary(opcode::multiply_accumulate, f16, sram(0, 0), sram(16), sram(32), 3);
  program kept("kept", 1, 1);
  kept.add_start_task(core_at(0, 0), 24, "ops", {sum, sum.keeping(2)});
  CHECK(run_finished(kept).cycles.value() == 6 + 4 + 2 + 2 + 2);

  program wrong("wrong", 1, 1);
  wrong.add_start_task(core_at(0, 0), 24, "ops",
                       {unary(opcode::exponential, element_type::int16, sram(0), sram(16), 1)});
  CHECK_THROWS_WITH(wavelet_engine(wrong, wse2_chip()), Catch::Contains("needs a floating point type"));
}
