// How a tiny decoder is dealt to wafers, and what it refuses.
#include <catch2/catch.hpp>

#include "firmware_stubs/tiny_model/tiny_decoder.h"
#include "rtl_tlm/base/error.h"

using namespace scribeline;
using namespace scribeline::tiny_model;
using Catch::Matchers::Contains;

namespace {

constexpr std::int64_t room = 48 * 1024;

tiny_decoder_spec five_layers() {
  tiny_decoder_spec spec;
  spec.layers.assign(5, {});
  spec.side = 8;
  return spec;
}

bool has_kernel(const kernels::mesh_stage& stage, const std::string& name) {
  for (const kernels::mesh_kernel& kernel : stage.kernels({0, 0}))
    if (kernel.name == name) return true;
  return false;
}

}  // namespace

TEST_CASE("layers go to wafers in order and evenly; the first embeds and the last has the head") {
  const tiny_decoder decoder(five_layers(), 3, room);
  std::vector<std::size_t> blocks;
  for (int w = 0; w < 3; ++w) {
    blocks.push_back(decoder.kept(w).size());
    const kernels::mesh_stage stage = decoder.stage(w);
    CHECK(stage.enters.has_value() == (w > 0));
    CHECK(has_kernel(stage, "embedding") == (w == 0));
    CHECK(has_kernel(stage, "head") == (w == 2));
    CHECK(stage.leaves.total == (w == 2 ? 96 : 64));
  }
  CHECK(blocks == std::vector<std::size_t>{2, 4, 4});  // a mixer and a feed-forward block a layer
}

TEST_CASE("the seed and the layer alone decide about weights") {
  tiny_decoder_spec spec = five_layers();
  tiny_decoder one(spec, 1, room), five(spec, 5, room);
  spec.seed = 2;
  tiny_decoder other(spec, 1, room);
  for (int position = 0; position < 3; ++position) {
    const vector logits = one.logits_on_host({position, 10 + position});
    CHECK(five.logits_on_host({position, 10 + position}) == logits);
    CHECK(other.logits_on_host({position, 10 + position}) != logits);
  }
}

TEST_CASE("the host's logits depend on the tokens before") {
  tiny_decoder a(five_layers(), 1, room), b(five_layers(), 1, room);
  a.logits_on_host({0, 1});
  b.logits_on_host({0, 2});
  CHECK(a.logits_on_host({1, 3}) != b.logits_on_host({1, 3}));
}

TEST_CASE("what cannot be is refused with what would be right") {
  tiny_decoder_spec spec = five_layers();
  CHECK_THROWS_WITH(tiny_decoder(spec, 6, room), Contains("6 wafers for 5 layers"));
  CHECK_THROWS_WITH(tiny_decoder(spec, 0, room), Contains("every wafer takes a layer at least"));
  CHECK_THROWS_WITH(tiny_decoder(spec, 2, 2000), Contains("wafer 0: its share") && Contains("which has 2000 B"));
  CHECK_THROWS_WITH(tiny_decoder(spec, 2, room).stage(0).kernels({0, 96}), Contains("token 96 of a vocabulary of 96"));
  CHECK_THROWS_WITH(tiny_decoder(spec, 1, room).stage(0).kernels({32, 0}), Contains("position 32 of a cache for 32"));
  spec.side = 12;
  CHECK_THROWS_WITH(tiny_decoder(spec, 2, room), Contains("12 x 12") && Contains("4, 8, 16 or 32"));
}

TEST_CASE("numbers of fp16 bytes") {
  CHECK(numbers_of({0x00, 0x3c, 0x00, 0xc0, 0x00, 0x00}) == vector{1, -2, 0});
}
