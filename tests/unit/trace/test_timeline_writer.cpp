#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "rtl_tlm/trace/timeline_writer.h"
#include "tests/unit/trace/trace_file.h"

using namespace scribeline::trace;
using sc_core::sc_time;
using scribeline::trace::test::trace_file;

TEST_CASE("a timeline is JSON with named tracks and spans to the picosecond and counters") {
  const trace_file file;
  {
    timeline_writer timeline(file.path);
    const auto stage = timeline.add_track("wafer 0", "stage");
    const auto link = timeline.add_track("wafer 0", "link \"out\"");
    const auto other = timeline.add_track("wafer 1", "stage");
    stage.span("token 5", sc_time(1'234'567, sc_core::SC_PS), sc_time(2, sc_core::SC_US), {{"user", 3}});
    link.span("frame", sc_time(2, sc_core::SC_US), sc_time(2, sc_core::SC_US));
    other.counter("credits", sc_time(3, sc_core::SC_NS), 0.5);
    timeline_track{}.span("nothing", sc_time(2, sc_core::SC_NS), sc_time(1, sc_core::SC_NS));
    CHECK_THROWS_AS(stage.span("x", sc_time(2, sc_core::SC_NS), sc_time(1, sc_core::SC_NS)), std::logic_error);
  }
  const auto events = nlohmann::json::parse(file.text())["traceEvents"];
  std::vector<nlohmann::json> names, work;
  for (const auto& event : events)
    (event["ph"] == "M" ? names : work).push_back(event);
  REQUIRE(names.size() == 2 * 2 + 3 * 2);
  CHECK(names[0] == nlohmann::json::parse(
                        R"({"ph": "M", "pid": 1, "tid": 0, "name": "process_name", "args": {"name": "wafer 0"}})"));
  CHECK(names[4]["args"]["name"] == "link \"out\"");
  REQUIRE(work.size() == 3);
  CHECK(work[0] == nlohmann::json::parse(
                       R"({"ph": "X", "pid": 1, "tid": 1, "ts": 1.234567, "dur": 0.765433, "name": "token 5",
                           "args": {"user": 3}})"));
  CHECK(work[1]["tid"] == 2);
  CHECK(work[2] == nlohmann::json::parse(
                       R"({"ph": "C", "pid": 2, "tid": 1, "ts": 0.003, "name": "credits", "args": {"value": 0.5}})"));
}

TEST_CASE("a timeline without events is JSON too") {
  const trace_file file;
  timeline_writer(file.path).close();
  CHECK(nlohmann::json::parse(file.text())["traceEvents"].empty());
}
