#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "rtl_tlm/fabric/program/core_classes.h"
#include "rtl_tlm/fabric/program/dump.h"
#include "rtl_tlm/fabric/program/validate.h"
#include "rtl_tlm/fabric/program/vector_timing.h"
#include "tests/support/random_fabric_programs.h"
#include "tests/support/sanitizers.h"

using namespace scribeline;
using namespace scribeline::fabric;

namespace {

// Core 0 of a row receives what core 3 sends, past cores 1 and 2.
program message_program() {
  program p("message", 4, 1);
  p.add_route(core_at(3, 0), 5, port::ramp, port::west);
  p.add_route(rectangle(1, 0, 2, 1), 5, port::east, port::west);
  p.add_route(core_at(0, 0), 5, port::east, port::ramp);
  p.bind_output(core_at(3, 0), 2, 5).bind_input(core_at(0, 0), 0, 5);
  p.add_start_task(core_at(3, 0), 8, "send", {copy(element_type::fp32, fabric_out(2), sram(64), 10).on_thread(1)});
  p.add_start_task(core_at(0, 0), 8, "receive", {copy(element_type::fp32, sram(64), fabric_in(0), 10)});
  return p;
}

// The issues of a program, as one text.
std::string issues_of(const program& p, const fabric_chip& chip = wse2_chip()) {
  std::string text;
  for (const program_issue& issue : validate(p, chip))
    text += issue.text + '\n';
  return text;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a message program is valid on both chips and reads back as text") {
  const program p = message_program();
  CHECK(issues_of(p) == "");
  CHECK(issues_of(p, wse3_chip()) == "");
  CHECK(to_text(p) ==
        "program \"message\", 4 columns x 1 rows\n"
        "route color 5 at column 3, row 0: ramp -> west\n"
        "route color 5 at columns 1..2, row 0: east -> west\n"
        "route color 5 at column 0, row 0: east -> ramp\n"
        "input queue 0 takes color 5 at column 0, row 0\n"
        "output queue 2 feeds color 5 at column 3, row 0\n"
        "task 8 \"send\" at column 3, row 0, active at start\n"
        "  copy fp32 output queue 2 <- sram[64], 10 elements, microthread 1\n"
        "task 8 \"receive\" at column 0, row 0, active at start\n"
        "  copy fp32 sram[64] <- input queue 0, 10 elements\n");
}

TEST_CASE("routes that cannot work are named with their cores") {
  SECTION("two receive sides") {
    program p = message_program();
    p.routes[1].positions[0].receive = {port::east, port::north};
    CHECK(says(issues_of(p), "(column 1, row 0): route of color 5 receives from north+east; a color has one receive"));
    p.merging_routes = true;
    CHECK(issues_of(p) == "");
  }
  SECTION("off the fabric") {
    program p = message_program();
    p.routes[2].positions[0].transmit = {port::ramp, port::west};
    CHECK(says(issues_of(p), "(column 0, row 0): color 5 leaves the fabric to the west"));
    p.add_edge_output({core_at(0, 0), port::west, 5});
    CHECK(issues_of(p) == "");
  }
  SECTION("into a neighbour without the route, or that receives from elsewhere") {
    program p = message_program();
    p.routes[1].where = core_at(2, 0);
    CHECK(
        says(issues_of(p), "(column 2, row 0): color 5 is sent west to (column 1, row 0), which has no route for it"));
    p.add_route(core_at(1, 0), 5, port::north, port::west);
    CHECK(says(issues_of(p), "which never receives it from the east"));
  }
  SECTION("back where it came from") {
    program p = message_program();
    p.routes[1].positions[0].transmit = {port::east, port::west};
    CHECK(says(issues_of(p), "route of color 5 sends words back east"));
  }
  SECTION("ids out of range and five positions") {
    program p = message_program();
    p.routes[0].color = 24;
    CHECK(says(issues_of(p), "(column 3, row 0): route of color 24; wse2 has colors 0..23"));
    p = message_program();
    p.routes[0].positions.assign(5, {port::ramp, port::west});
    CHECK(says(issues_of(p), "5 switch positions; give 1..4"));
  }
  SECTION("two routes for one color at one core") {
    program p = message_program();
    p.add_route(rectangle(2, 0, 2, 1), 5, port::east, port::west);
    CHECK(says(issues_of(p), "(column 2, row 0): two rules for the route of color 5"));
  }
  SECTION("to a ramp that nobody reads") {
    program p = message_program();
    p.inputs.clear();
    CHECK(says(issues_of(p), "(column 0, row 0): color 5 is sent to the ramp, but no input queue is bound to it"));
  }
}

TEST_CASE("queues, tasks and operands that cannot work are named with their cores") {
  SECTION("queue ids, by chip") {
    program p = message_program();
    p.outputs[0].queue = 6;
    CHECK(says(issues_of(p), "output queue 6 bound to color 5; queue ids are 0..5"));
    p.tasks[0].body = {copy(element_type::fp32, fabric_out(6), sram(64), 10)};
    CHECK(issues_of(p, wse3_chip()) == "");
  }
  SECTION("microthreads and tasks") {
    program p = message_program();
    p.tasks[0].body = {copy(element_type::fp32, fabric_out(2), sram(64), 10).on_thread(8).then_activate(9)};
    CHECK(says(issues_of(p), "(column 3, row 0): task 8 \"send\": microthreads are 0..7"));
    CHECK(says(issues_of(p), "there is no task 9 here"));
    p.tasks[0].id = 64;
    CHECK(says(issues_of(p), "ids are 0..63"));
  }
  SECTION("operands") {
    program p = message_program();
    p.tasks[0].body = {copy(element_type::fp32, fabric_out(2), sram(48 * 1024 - 36), 10)};
    CHECK(says(issues_of(p), "vector at bytes 49116..49155 lies outside 49152 B of SRAM"));
    p.tasks[0].body = {copy(element_type::fp32, fabric_out(3), fabric_out(2), 10)};
    CHECK(says(issues_of(p), "output queue 3 is bound to no color here"));
    CHECK(says(issues_of(p), "operand a is an output queue"));
    p.tasks[0].body = {add(element_type::fp32, constant(1), sram(2), operand{}, 10)};
    CHECK(says(issues_of(p), "the destination must be an SRAM vector or an output queue"));
    CHECK(says(issues_of(p), "address 2 is no multiple of the 4 B"));
    CHECK(says(issues_of(p), "operand b is missing"));
  }
  SECTION("loops") {
    program p = message_program();
    p.tasks[0].body = {begin_loop{3}, scalar_work{1}};
    CHECK(says(issues_of(p), "1 loops without end"));
    p.tasks[0].body = {end_loop{}};
    CHECK(says(issues_of(p), "end of a loop that did not begin"));
  }
  SECTION("a program larger than the wafer") {
    CHECK(says(issues_of(program("huge", 755, 1170)), "wse2 has 750 x 994"));
    CHECK(issues_of(program("huge", 755, 1170), wse3_chip()) == "");
  }
}

TEST_CASE("a queue that serves several colors needs operands that name one") {
  program p = message_program();
  p.add_route(core_at(0, 0), 6, port::east, port::ramp).bind_input(core_at(0, 0), 0, 6);
  CHECK(says(issues_of(p), "(column 0, row 0): task 8 \"receive\": input queue 0 is bound to 2 colors here, name one"));
  p.tasks[1].body = {copy(element_type::fp32, sram(64), fabric_in(0, 6), 10)};
  CHECK(issues_of(p) == "");
  p.tasks[1].body = {copy(element_type::fp32, sram(64), fabric_in(0, 7), 10)};
  CHECK(says(issues_of(p), "input queue 0 is not bound to color 7 here"));
}

TEST_CASE("an invalid program is refused with all its issues") {
  program p = message_program();
  p.inputs.clear();
  p.outputs.clear();
  CHECK_THROWS_AS(require_valid(p, wse2_chip()), program_error);
  CHECK_THROWS_WITH(require_valid(p, wse2_chip()), Catch::Contains("fabric program \"message\" cannot run, 3 issues"));
}

TEST_CASE("cores with the same rules fall into one class, wherever they are") {
  program p("stripes", 100, 60);
  p.add_route({{1, 0}, 50, 60, 2, 1}, 0, port::west, port::east);     // odd columns
  p.add_route({{0, 0}, 100, 20, 1, 3}, 1, port::north, port::south);  // every third row
  const core_classes classes(p);
  CHECK(classes.size() == 4);
  for (const coordinate c : {coordinate{0, 0}, coordinate{1, 0}, coordinate{98, 57}, coordinate{99, 59}}) {
    const core_class& found = classes.at(c);
    CHECK(std::count(found.routes.begin(), found.routes.end(), 0u) == (c.column % 2));
    CHECK(std::count(found.routes.begin(), found.routes.end(), 1u) == (c.row % 3 == 0));
  }
  CHECK(classes.index_of({3, 6}) == classes.index_of({77, 33}));
}

TEST_CASE("sorted by contents, cores that do the same are one class, whichever rules say so") {
  program p("stripes", 30, 4);
  const std::vector<instruction> body{copy(element_type::fp32, sram(64), sram(0), affine(5, 1, 0)), scalar_work{3}};
  for (int first = 0; first < 3; ++first) {
    const region cores{{first, 0}, 10, 4, 3, 1};
    p.add_route(cores, 2, port::west, port::east).bind_input(cores, 1, 2).add_start_task(cores, 8, "work", body);
  }
  CHECK(core_classes(p).size() == 3);
  CHECK(core_classes(p, class_sorting::by_contents).size() == 1);
  p.tasks[1].body[1] = scalar_work{4};
  CHECK(core_classes(p, class_sorting::by_contents).size() == 2);
  p.routes[2].positions[0].transmit = port::ramp;
  const core_classes different(p, class_sorting::by_contents);
  CHECK(different.size() == 3);
  CHECK(different.at({29, 3}).routes == std::vector<std::uint32_t>{2});
  CHECK(different.at({29, 3}).tasks == std::vector<std::uint32_t>{0});
}

TEST_CASE("classes and their neighbours are what looking at every core finds") {
  for (std::uint64_t seed = 1; seed <= (tests::sanitized ? 15 : 60); ++seed) {
    INFO("seed " << seed);
    const program p = tests::make_random_case(seed, 20000).code;
    const core_classes classes(p);
    std::map<std::vector<std::uint32_t>, std::uint32_t> known;
    const auto rules_at = [&](coordinate c) {
      std::vector<std::uint32_t> rules;
      const auto append = [&](const auto& of_kind) {
        for (const auto& rule : of_kind)
          rules.push_back(rule.where.contains(c) ? 1u : 0u);
      };
      append(p.routes);
      append(p.inputs);
      append(p.outputs);
      append(p.tasks);
      append(p.edge_inputs);
      append(p.edge_outputs);
      return rules;
    };
    std::vector<std::tuple<std::uint32_t, std::uint32_t, int, int, int>> expected;
    std::set<std::tuple<std::uint32_t, std::uint32_t, int>> seen;
    bool alike = true;
    for (int row = 0; row < p.rows; ++row)
      for (int column = 0; column < p.columns; ++column) {
        const coordinate here{column, row};
        const auto [entry, is_new] = known.try_emplace(rules_at(here), static_cast<std::uint32_t>(known.size()));
        alike &= classes.index_of(here) == entry->second;
        alike &= !is_new || classes.at(here).example == here;
        for (int side = 0; side < link_ports; ++side) {
          const coordinate to = neighbour(here, static_cast<port>(side));
          const bool outside = to.column < 0 || to.row < 0 || to.column >= p.columns || to.row >= p.rows;
          const std::uint32_t theirs = outside ? neighbouring_classes::outside : classes.index_of(to);
          if (seen.insert({classes.index_of(here), theirs, side}).second)
            expected.emplace_back(classes.index_of(here), theirs, side, column, row);
        }
      }
    CHECK(alike);
    CHECK(classes.size() == known.size());
    std::vector<std::tuple<std::uint32_t, std::uint32_t, int, int, int>> found;
    for (const neighbouring_classes& n : classes.neighbours())
      found.emplace_back(n.from, n.to, index(n.side), n.where.column, n.where.row);
    CHECK(found == expected);
  }
}

TEST_CASE("an affine number depends on place and iteration and wraps when asked to") {
  const affine chunk = affine(1000, 8, 0).with_iteration(-8).wrapped(0, 64);
  CHECK(chunk.at({3, 5}, 0) == 1024);
  CHECK(chunk.at({3, 5}, 4) == 1000 + 56);
  CHECK(chunk.at({11, 0}, 3) == 1000);
  CHECK(to_string(chunk) == "1000 + (8 column - 8 k) mod 64");
  CHECK(affine(5).is_constant());
  CHECK(affine(5, 0, 2).at({9, 4}) == 13);
}

TEST_CASE("a control word pops one command per router") {
  const control_word word = control_word::for_path({switch_command::nop, switch_command::advance}).activating(9);
  CHECK(word.first_command() == switch_command::nop);
  CHECK(word.popped().first_command() == switch_command::advance);
  CHECK(word.popped().popped().first_command() == switch_command::nop);
  CHECK(word.popped().task() == std::optional<int>{9});
  CHECK(control_word::advance_all_routers().popped().popped().first_command() == switch_command::advance);
  CHECK_FALSE(control_word::advance_own_router().task().has_value());
}

TEST_CASE(
    "slow operations between SRAM vectors are counted by their rate, a word of the fabric takes 255 cycles at most") {
  fabric_chip chip = wse3_chip();
  chip.core.copy.elements_16_bit = 1.0 / 320;
  const vector_timing local = timing_of(copy(element_type::fp16, sram(0), sram(64), 8), chip);
  CHECK(local.step_cycles == 1);
  CHECK(local.elements_per_cycle == (1u << rate_fraction_bits) / 320 + 1);
  const vector_op send = copy(element_type::fp16, fabric_out(0), sram(64), 8);
  CHECK_THROWS_WITH(timing_of(send, chip), Catch::Contains("takes 640 cycles; at most 255"));
  chip.core.copy.elements_16_bit = 2.0 / 255;
  CHECK(timing_of(send, chip).step_cycles == 255);
}
