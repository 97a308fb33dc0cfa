#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <random>

#include "rtl_tlm/base/error.h"
#include "rtl_tlm/trace/vcd_syntax.h"
#include "tests/unit/trace/trace_file.h"

using namespace scribeline;
using namespace scribeline::trace;
using sc_core::sc_time;
using scribeline::trace::test::trace_file;

namespace {

sc_time ps(double t) {
  return {t, sc_core::SC_PS};
}

std::string after_header(const std::string& vcd) {
  const std::string end = "$enddefinitions $end\n";
  return vcd.substr(vcd.find(end) + end.size());
}

}  // namespace

TEST_CASE("a VCD file has nested scopes and every kind of signal and changes in order of time") {
  const trace_file file;
  {
    vcd_writer vcd(file.path);
    const auto busy = vcd.add_bit("chain.wafer0", "busy");
    const auto token = vcd.add_unsigned("chain.wafer0", "token", 8, 5);
    const auto credits = vcd.add_real("chain.link", "occupancy", 0.5);
    const auto state = vcd.add_text("chain.wafer0", "state", "idle");
    // Not in order of time, as processes that run ahead of the kernel make them.
    busy.set(false, ps(30));
    busy.set(true, ps(10));
    state.set("all experts", ps(20));
    token.set(0x1ff, ps(10));  // nine bits do not fit into eight
    credits.set(0.75, ps(20));
    credits.set(0.25, ps(20));  // the last at one time counts
    token.set(0xff, ps(40));    // no change
    CHECK(busy.is_recorded());
  }
  CHECK(file.text() ==
        "$version Scribeline $end\n"
        "$timescale 1 ps $end\n"
        "$scope module chain $end\n"
        "$scope module wafer0 $end\n"
        "$var wire 1 ! busy $end\n"
        "$var wire 8 \" token [7:0] $end\n"
        "$var string 1 $ state $end\n"
        "$upscope $end\n"
        "$scope module link $end\n"
        "$var real 64 # occupancy $end\n"
        "$upscope $end\n"
        "$upscope $end\n"
        "$enddefinitions $end\n"
        "#0\n$dumpvars\n0!\nb101 \"\nr0.5 #\nsidle $\n$end\n"
        "#10\n1!\nb11111111 \"\n"
        "#20\nr0.25 #\nsall\\040experts $\n"
        "#30\n0!\n");
}

TEST_CASE("a window opens with the values of its start and ends at its end") {
  const trace_file file;
  {
    vcd_writer vcd(file.path, {timescale::picosecond, ps(100), ps(200)});
    const auto token = vcd.add_unsigned("a", "token", 8);
    const auto busy = vcd.add_bit("a", "busy");
    for (int i = 1; i < 30; ++i)
      token.set(static_cast<std::uint64_t>(i), ps(40.0 * i));
    busy.set(true, ps(100));
  }
  CHECK(after_header(file.text()) ==
        "#100\n$dumpvars\nb10 !\n1\"\n$end\n"
        "#120\nb11 !\n#160\nb100 !\n#200\nb101 !\n");
}

TEST_CASE("a nanosecond file merges what happens within one") {
  const trace_file file;
  {
    vcd_writer vcd(file.path, {timescale::nanosecond, sc_core::SC_ZERO_TIME, sc_core::sc_max_time()});
    const auto token = vcd.add_unsigned("a", "token", 8);
    token.set(1, ps(3000));
    token.set(2, ps(3999));
    token.set(3, ps(4000));
  }
  CHECK_THAT(file.text(), Catch::Matchers::Contains("$timescale 1 ns $end"));
  CHECK(after_header(file.text()) == "#0\n$dumpvars\nb0 !\n$end\n#3\nb10 !\n#4\nb11 !\n");
}

TEST_CASE("changes arrive from processes at simulated time and ahead of it and the end of time is written") {
  struct chain : sc_core::sc_module {
    SC_HAS_PROCESS(chain);
    chain(const sc_core::sc_module_name& name, bit_signal one, text_signal other)
        : sc_module(name), busy(one), state(other) {
      SC_THREAD(run);
    }
    void run() {
      for (int i = 0; i < 2; ++i) {
        busy.set(true);
        state.set("norm", sc_core::sc_time_stamp() + ps(5));
        busy.set(false, sc_core::sc_time_stamp() + ps(7));
        wait(ps(10));
        state.set("idle");
      }
      wait(ps(15));
      CHECK_THROWS_WITH(busy.set(true, ps(20)),
                        Catch::Matchers::Contains("a.busy is set at 20 ps, before the simulated"));
    }
    bit_signal busy;
    text_signal state;
  };
  const trace_file file;
  vcd_writer vcd(file.path);
  const auto busy = vcd.add_bit("a", "busy");
  const auto state = vcd.add_text("a", "state");
  chain module("chain", busy, state);
  sc_core::sc_start();
  vcd.close();
  CHECK(after_header(file.text()) ==
        "#0\n$dumpvars\n1!\ns \"\n$end\n"
        "#5\nsnorm \"\n#7\n0!\n#10\n1!\nsidle \"\n#15\nsnorm \"\n#17\n0!\n#20\nsidle \"\n#35\n");
  module.busy.set(true);  // after closing: ignored
}

TEST_CASE("an exception that ends the run leaves a complete file") {
  const trace_file file;
  try {
    vcd_writer vcd(file.path);
    vcd.add_bit("a", "busy").set(true, ps(7));
    throw base::no_progress("stuck");
  } catch (const base::no_progress&) {
  }
  CHECK_THAT(file.text(), Catch::Matchers::EndsWith("#7\n1!\n"));
}

TEST_CASE("a signal that is not recorded does nothing") {
  bit_signal{}.set(true);
  unsigned_signal{}.set(3, ps(1));
  real_signal{}.set(0.5);
  text_signal{}.set("idle");
  CHECK_FALSE(bit_signal{}.is_recorded());
  CHECK_THROWS_AS(bit_signal{}.info(), std::logic_error);
}

TEST_CASE("many changes in random order come out sorted with the last value of each time") {
  const std::uint64_t seed = GENERATE(range(1, 21));
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  const trace_file file;
  std::map<std::uint64_t, std::uint64_t> last;  // by time
  {
    vcd_writer vcd(file.path);
    const auto token = vcd.add_unsigned("a", "token", 64, ~std::uint64_t{0});
    for (int i = 0; i < 500; ++i) {
      const std::uint64_t time = 1 + random() % 200;
      last[time] = random() % 4;
      token.set(last[time], ps(static_cast<double>(time)));
    }
  }
  std::string expected = "#0\n$dumpvars\nb" + std::string(64, '1') + " !\n$end\n";
  std::uint64_t before = ~std::uint64_t{0};
  for (const auto& [time, value] : last) {
    if (value != before) expected += "#" + std::to_string(time) + "\nb" + binary_digits(value) + " !\n";
    before = value;
  }
  CHECK(after_header(file.text()) == expected);
}

TEST_CASE("names that a viewer would take apart and late declarations are refused") {
  const trace_file file;
  vcd_writer vcd(file.path);
  for (const char* scope : {"", ".a", "a.", "a..b", "a b", "wafer[3]"})
    CHECK_THROWS_AS(vcd.add_bit(scope, "busy"), std::logic_error);
  CHECK_THROWS_AS(vcd.add_bit("a", "b.c"), std::logic_error);
  CHECK_THROWS_AS(vcd.add_unsigned("a", "b", 65), std::logic_error);
  CHECK_THROWS_AS(vcd.add_unsigned("a", "b", 0), std::logic_error);
}

TEST_CASE("identifiers are different for many signals") {
  CHECK(identifier_code(0) == "!");
  CHECK(identifier_code(93) == "~");
  std::map<std::string, int> seen;
  for (std::size_t i = 0; i < 20000; ++i)
    ++seen[identifier_code(i)];
  CHECK(seen.size() == 20000);
}

TEST_CASE("a file that cannot be made or written says why") {
  CHECK_THROWS_WITH(vcd_writer("/dev/null/waves.vcd"),
                    Catch::Matchers::Contains("cannot open /dev/null/waves.vcd: Not a directory"));
  vcd_writer vcd("/dev/full");
  vcd.add_bit("a", "busy").set(true, ps(1));
  CHECK_THROWS_WITH(vcd.close(), Catch::Matchers::Contains("cannot write /dev/full: No space left on device"));
}
