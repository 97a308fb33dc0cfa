#include <catch2/catch.hpp>

#include "scenarios/harness/closest_name.h"
#include "scenarios/harness/csv_writer.h"
#include "scenarios/harness/input_file.h"
#include "scenarios/harness/progress.h"
#include "scenarios/harness/text_table.h"
#include "tests/unit/harness/scratch_folder.h"

#include <cmath>
#include <sstream>
#include <thread>

using namespace scribeline::harness;
using namespace scribeline::harness::test;

TEST_CASE("edit distance counts inserts and deletes and replacements and swaps") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("latncy", "latency") == 1);
  CHECK(edit_distance("abcd", "abdc") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("the closest name is a likely slip or nothing") {
  const std::vector<std::string> known{"machine.link.latency_ns", "machine.wafers", "workload.users"};
  CHECK(closest_name("machine.wafer", known) == "machine.wafers");
  CHECK(closest_name("link.latency_ns", known) == "machine.link.latency_ns");
  CHECK(closest_name("completely.different", known).empty());
}

TEST_CASE("table columns align by characters rather than bytes") {
  text_table table({"a", "b"});
  table.align_right(1);
  table.add_row({"\u00b5s", "1"});
  table.add_row({"x", "100"});
  CHECK(table.text() == "a     b\n\u00b5s    1\nx   100\n");
  CHECK(table.markdown() == "| a | b |\n| --- | ---: |\n| \u00b5s | 1 |\n| x | 100 |\n");
  CHECK_THROWS_AS(table.add_row({"one cell"}), std::logic_error);
}

TEST_CASE("short numbers keep four digits and whole large numbers") {
  CHECK(short_number(0.00123456) == "0.001235");
  CHECK(short_number(748.26) == "748.3");
  CHECK(short_number(1234567.4) == "1234567");
  CHECK(short_number(-25000.0) == "-25000");
  CHECK(short_number(0) == "0");
  CHECK(short_number(std::nan("")) == "-");
}

TEST_CASE("CSV cells are quoted where needed and numbers are exact") {
  const scratch_folder scratch;
  result_directory results(scratch / "out");
  csv_writer csv(results, "a.csv", {"id", "name", "x"});
  csv.row(1, "plain", 0.1);
  csv.row(2, "with, comma and \"quotes\"", std::nan(""));
  csv.row(std::uint64_t{1} << 63, "two\nlines", 1e300);
  CHECK_THROWS_AS(csv.row(1, 2), std::logic_error);
  CHECK_FALSE(scratch.has("out/a.csv"));
  csv.close();
  CHECK(scratch.read("out/a.csv") ==
        "id,name,x\n1,plain,0.1\n2,\"with, comma and \"\"quotes\"\"\",\n9223372036854775808,\"two\nlines\",1e+300\n");
}

TEST_CASE("FNV-1a gives its published values") {
  CHECK(fnv1a_64("") == 0xcbf29ce484222325u);
  CHECK(fnv1a_64("a") == 0xaf63dc4c8601ec8cu);
  CHECK(fnv1a_64("foobar") == 0x85944171f73967e8u);
}

TEST_CASE("durations read as people say them") {
  CHECK(duration_text(11.6) == "12 s");
  CHECK(duration_text(187) == "3 min 07 s");
  CHECK(duration_text(7500) == "2 h 05 min");
}

TEST_CASE("progress on a terminal is one line that is removed at the end") {
  std::ostringstream stream;
  progress bar(stream, true);
  bar.update(10, 40, "tokens");
  CHECK(stream.str().empty());  // too early to say anything
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  bar.update(10, 40, "tokens");
  CHECK(stream.str().find("\r\x1b[K10 of 40 tokens (25 %), ") == 0);
  CHECK(stream.str().find(" left") != std::string::npos);
  bar.finish();
  CHECK(stream.str().substr(stream.str().size() - 4) == "\r\x1b[K");
}

TEST_CASE("progress is silent where there is no terminal") {
  std::ostringstream stream;
  progress bar(stream, false);
  for (int i = 0; i < 1000; ++i)
    bar.update(i, 1000, "tokens");
  bar.finish();
  CHECK(stream.str().empty());
}
