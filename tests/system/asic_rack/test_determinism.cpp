#include <catch2/catch.hpp>

#include "tests/support/same_files.h"
#include "tests/system/asic_rack/asic_rack_binary.h"

using namespace asic_rack_binary;

TEST_CASE("the effective configuration, run again, gives the same results, whatever the chip") {
  scratch_folder folder;
  const std::string file = folder.file("s.toml", scenario(data("tiny_experts.json")));
  for (const char* preset : {"jalapeno", "gb300"}) {
    const std::string chip = std::string("machine.preset=") + preset;
    REQUIRE(run(folder, {file, "--out", folder / "first", "--set", chip, "--set", "mapping.pipeline=2"}).exit_code ==
            0);
    REQUIRE(run(folder, {folder / "first/effective.toml", "--out", folder / "second"}).exit_code == 0);
    check_same(files_of(folder / "first"), files_of(folder / "second"));
  }
}
