// Waves of activations that leave one wafer and enter the next.
#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "platforms/data_pipeline/data_waves.h"
#include "tests/unit/data_pipeline/tiny_pipeline.h"
#include "tests/unit/trace/trace_file.h"

using namespace scribeline;
using namespace scribeline::platforms;
using namespace scribeline::platforms::test;

namespace {

struct change {
  std::uint64_t time_ps = 0;
  std::string value;  // bits or text
};
using changes = std::map<std::string, std::vector<change>>;  // by "scope.name", the opening value first

changes read_vcd(const std::string& text) {
  std::istringstream in(text);
  std::map<std::string, std::string> names;
  std::vector<std::string> scope;
  changes all;
  std::uint64_t now = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first == "$scope") {
      std::string kind, name;
      words >> kind >> name;
      scope.push_back(name);
    } else if (first == "$upscope") {
      scope.pop_back();
    } else if (first == "$var") {
      std::string kind, width, code, name;
      words >> kind >> width >> code >> name;
      std::string path;
      for (const std::string& s : scope)
        path += s + ".";
      names[code] = path + name;
    } else if (first[0] == '#') {
      now = std::stoull(first.substr(1));
    } else if (first[0] == 'b' || first[0] == 's') {
      std::string code;
      words >> code;
      all[names.at(code)].push_back({now, first.substr(1)});
    }
  }
  return all;
}

std::uint32_t number(const std::string& bits) {
  return static_cast<std::uint32_t>(std::stoull(bits, nullptr, 2));
}

}  // namespace

TEST_CASE("waves show every word of an activation as it leaves one wafer and enters the next, each at its cycle") {
  const trace::test::trace_file vcd, view, timeline;
  const tiny_decoder_spec spec = grouped_dense();
  tiny_pipeline p(spec, 2, pipeline_config({5}, 1));
  data_waves waves(*p.machine, vcd.path, view.path, timeline.path, {});
  p.run();
  waves.close();
  const changes all = read_vcd(vcd.text());

  one_mesh reference(spec);
  CHECK((p.machine->host.steps()[0].vector == reference.decode({0, 5})));
  const wafer_step& first = p.machine->wafers[0].steps()[0];
  const wafer_step& second = p.machine->wafers[1].steps()[0];
  for (int row = 0; row < spec.side; ++row) {
    INFO("row " << row);
    char name[16];
    std::snprintf(name, sizeof name, "row_%02d", row);
    const auto& leaves = all.at(std::string("pipeline.wafer_0.leaves.") + name);
    const auto& enters = all.at(std::string("pipeline.wafer_1.enters.") + name);
    // The opening value, then two words of two elements.
    REQUIRE(leaves.size() == 3);
    REQUIRE(enters.size() == 3);
    for (std::size_t i = 1; i < 3; ++i) {
      CHECK(leaves[i].value == enters[i].value);
      CHECK(number(leaves[i].value) != 0);
      CHECK(leaves[i].time_ps > first.computed.value());
      CHECK(leaves[i].time_ps <= first.left.value());
      CHECK(enters[i].time_ps > second.begun.value());
      CHECK(enters[i].time_ps <= second.entered.value());
    }
    // A word a cycle: 1 / 0.85 GHz.
    CHECK(enters[2].time_ps - enters[1].time_ps == Approx(1176).margin(1));
  }
  CHECK(number(all.at("pipeline.wafer_0.leaves.words").back().value) == 32);
  CHECK(number(all.at("pipeline.wafer_1.enters.words").back().value) == 32);
  CHECK(number(all.at("pipeline.wafer_1.leaves.words").back().value) == 48);  // 96 logits
  CHECK_THAT(view.text(), Catch::Contains("pipeline.wafer_1.enters.row_15"));
  CHECK_THAT(timeline.text(), Catch::Contains("embedding") && Catch::Contains("head"));
}
