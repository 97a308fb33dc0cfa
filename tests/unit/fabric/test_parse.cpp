#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "rtl_tlm/base/error.h"
#include "rtl_tlm/fabric/program/dump.h"
#include "rtl_tlm/fabric/program/parse.h"
#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"
#include "tests/support/random_fabric_programs.h"

using namespace scribeline;
using namespace scribeline::fabric;

namespace {

std::string complaint_about(const std::string& text) {
  try {
    parse_program(text, "ring.txt");
  } catch (const base::bad_input& error) {
    return error.what();
  }
  return "nothing";
}

const std::string head = "program \"p\", 4 columns x 2 rows\n";

// What the text says again, without its first line.
std::string again(const std::string& text) {
  return to_text(parse_program(head + text, "p.txt")).substr(head.size());
}

}  // namespace

TEST_CASE("a program is read from text as it was meant") {
  const program p = parse_program(
      "# two cores\n"
      "program \"message # 1\", 2 columns x 1 rows\n"
      "\n"
      "route color 5 at column 1, row 0: ramp -> west   # the sender\n"
      "route color 5 at column 0, row 0: east -> ramp\n"
      "input queue 0 takes color 5 at column 0, row 0\n"
      "output queue 2 feeds color 5 at column 1, row 0\n"
      "task 8 \"send\" at column 1, row 0, active at start\n"
      "copy fp32 output queue 2 <- sram[64 + 4 column], 10 elements, microthread 1\n"
      "task 8 \"receive\" at column 0, row 0, active at start\n"
      "    copy fp32 sram[64] <- input queue 0, 10 elements\n",
      "message.txt");
  CHECK(p.name == "message # 1");
  CHECK(p.columns == 2);
  REQUIRE(p.routes.size() == 2);
  CHECK(p.routes[0].positions[0].transmit == port_set(port::west));
  REQUIRE(p.tasks.size() == 2);
  const auto& send = std::get<vector_op>(p.tasks[0].body.at(0));
  CHECK(send.a.address.at({1, 0}) == 68);
  CHECK(send.thread == 1);
  wavelet_engine engine(p, wse3_chip());
  CHECK(engine.run().word_hops == 10);
}

TEST_CASE("every operation is read back") {
  for (const opcode op : all_opcodes) {
    const std::string second = takes_one_source(op) ? "" : ", sram[16]";
    const std::string scalar = op == opcode::multiply_add ? " * sram[2]" : "";
    const std::string text = fmt::format(
        "task 9 \"all\" at column 0, row 0\n  {} fp16 sram[0] <- sram[8]{}{}, 4 elements, 2 descriptors kept\n",
        name(op), second, scalar);
    CHECK(again(text) == text);
  }
  CHECK_THAT(complaint_about(head + "task 9 \"all\" at column 0, row 0\n  copy fp16 sram[0] <- sram[8], 4 elements, "
                                    "4 descriptors kept\n"),
             Catch::Contains("of three descriptors, 1..3 can stay loaded"));
}

TEST_CASE("every form of a rule and of an instruction is read back as it was written") {
  const std::string rules =
      "route color 1 at columns 0..2 step 2, rows 0..1: ramp -> east+ramp, then west -> nothing, ring\n"
      "route color 2 at column 0, row 0: north+south -> ramp\n"
      "input queue 3 takes color 1 at columns 0..3, row 1\n"
      "output queue 2 feeds color 2 at column 0, row 0\n"
      "edge input color 1 through west of column 0, rows 0..1: 4 row + 64 words from cycle 7, one every 2\n"
      "edge output color 2 through north of columns 0..3, row 0\n";
  const std::string tasks =
      "task 9 \"a b\" at column 0, row 0, on data in input queue 3, word to sram[16], priority 2, blocked at start\n"
      "  loop 4 times\n"
      "    loop row + 1 times\n"
      "      add fp16 sram[64 + (8 column - 8 k + 16 outer k + 3) mod 512] stride 2 <- sram[0] repeating 8, -0.5, "
      "2 column + 1 elements\n"
      "    end loop\n"
      "  end loop\n"
      "  multiply_add bf16 output queue 2 color 2 <- input queue 3 color 1, sram[4] * sram[-8 row + 100], 7 elements, "
      "microthread 3, then control advance 0+2, activating task 4, then activate 9, then unblock 9\n"
      "  maximum int32 nothing <- sram[0], sram[4], 1 elements\n"
      "  scalar work, 12 cycles\n"
      "  activate 9\n"
      "  activate 9 if sram[4 column + 64]\n"
      "  activate 9 if sram[66], assumed yes\n"
      "  activate 9 if sram[66], assumed no\n"
      "  block 9\n"
      "  unblock 9\n"
      "  timestamp, mark 65535\n"
      "  send control to output queue 2\n"
      "  send control advance for every router, activating task 7 to output queue 2 color 2\n";
  CHECK(again(rules + tasks) == rules + tasks);
}

TEST_CASE("random programs survive being written and read, and run the same") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const tests::random_case original = tests::make_random_case(seed, 2'000);
    const std::string text = to_text(original.code);
    const program read = parse_program(text, "random");
    CHECK(to_text(read) == text);
    CHECK(wavelet_engine(read, original.chip).run().cycles.value() ==
          wavelet_engine(original.code, original.chip).run().cycles.value());
  }
}

TEST_CASE("what cannot be read is named with file, line and column, and what would be right") {
  CHECK(complaint_about("") == "ring.txt:1:1: expected program \"name\", ..., but the line ends");
  CHECK(complaint_about("route color 1") == "ring.txt:1:1: expected \"program\", found \"route\"");
  CHECK(complaint_about("program \"p\", 0 columns x 2 rows") ==
        "ring.txt:1:32: a program has at least one column and one row");
  CHECK(complaint_about(head + "rout color 1") ==
        "ring.txt:2:1: expected route, input queue, output queue, edge or task, found \"rout\"");
  CHECK(complaint_about(head + "\nroute color 1 at column 0, row 0: ramp > east") ==
        "ring.txt:3:40: expected \"->\", found \">\"");
  CHECK(complaint_about(head + "route color 1 at columns 0..3 step 2, row 0: ramp -> east") ==
        "ring.txt:2:37: 3 is not reached from 0 in steps of 2");
  CHECK(complaint_about(head + "route color 1 at column 0, row 0: up -> east") ==
        "ring.txt:2:35: expected north, east, south, west or ramp, found \"up\"");
  CHECK(complaint_about(head + "input queue 99999999999 takes color 1 at column 0, row 0") ==
        "ring.txt:2:13: the number of a queue does not fit into 32 bits");
  const std::string body = head + "task 1 \"t\" at column 0, row 0\n";
  CHECK(complaint_about(body + "  copy fp32 sram[0] <- sram[4], 4 element") ==
        "ring.txt:3:35: expected \"elements\", found \"element\"");
  CHECK(complaint_about(body + "  copy fp64 sram[0] <- sram[4], 4 elements") ==
        "ring.txt:3:8: expected fp32, fp16, bf16, int32 or int16, found \"fp64\"");
  CHECK(complaint_about(body + "  timestamp, mark 4 5") == "ring.txt:3:21: expected the end of the line, found \"5\"");
  CHECK(complaint_about(body + "  send control advance 9 to output queue 1").find("routers 0..7") != std::string::npos);
  CHECK(complaint_about(body + "  jump 3").find("expected an instruction (copy, add, ...") != std::string::npos);
}
