#include <catch2/catch.hpp>
#include <functional>

#include "rtl_tlm/base/error.h"
#include "scenarios/waferllm/layer_times.h"

using namespace scribeline;
using namespace scribeline::scenarios;

namespace {

waferllm_settings small() {
  waferllm_settings s;
  s.side = s.prefill_side = 24;
  s.hidden = 240;
  s.feed_forward = 480;
  s.prompt_tokens = 96;
  return s;
}

}  // namespace

TEST_CASE("a decode layer has ten all-reduces, and pays the call for each") {
  waferllm_settings s = small();
  const timed_program with_calls = time_decode_layer(s);
  int all_reduces = 0;
  for (const timed_kernel& kernel : with_calls.kernels)
    all_reduces += kernel.communication.empty() ? 0 : 1;
  CHECK(all_reduces == 10);
  s.all_reduce.call_cycles = 0;
  CHECK((with_calls.total() - time_decode_layer(s).total()).value() == 10 * 300);
}

TEST_CASE("no program is faster than its bound") {
  for (const int side : {8, 12, 24}) {
    waferllm_settings s = small();
    s.side = s.prefill_side = side;
    s.inputs = s.outputs = s.vectors = 200;
    const auto hops = s.chip.hop_cycles;
    for (const timed_program& p : {time_decode_layer(s), time_prefill_layer(s), time_gemv(s), time_gemm(s)}) {
      INFO(p.kernels.front().name << " and so on, side " << side);
      CHECK(p.total() >= least_cycles(p, 4, hops));
      CHECK(p.total() >= p.compute());
    }
  }
}

TEST_CASE("stream by stream, a core's own work takes the same as word by word") {
  waferllm_settings by_words = small();
  by_words.inputs = by_words.outputs = by_words.vectors = 200;
  waferllm_settings by_streams = by_words;
  by_streams.engine = fabric::engine_kind::burst;
  for (const auto& time : std::vector<std::function<timed_program(const waferllm_settings&)>>{
           [](const auto& s) { return time_decode_layer(s); }, [](const auto& s) { return time_prefill_layer(s); },
           time_gemv, time_gemm}) {
    const timed_program words = time(by_words);
    const timed_program streams = time(by_streams);
    INFO(words.kernels.front().name << " and so on");
    CHECK(streams.compute() == words.compute());
    CHECK(streams.word_hops == words.word_hops);
    CHECK(std::abs((streams.total() - words.total()).value()) <= words.total().value() / 50);
  }
}

TEST_CASE("products by shifts and broadcasts take at least their work, and longer when tiles come as they are") {
  waferllm_settings s = small();
  s.phase = waferllm_phase::gemm;
  s.inputs = s.outputs = s.vectors = 200;
  for (const auto algorithm :
       {kernels::gemm_algorithm::mesh, kernels::gemm_algorithm::cannon, kernels::gemm_algorithm::summa}) {
    INFO(kernels::name(algorithm));
    s.gemm = algorithm;
    s.align = false;
    s.weight_bits = 0;
    const timed_program aligned = time_gemm(s);
    CHECK(aligned.kernels.front().name == kernels::name(algorithm));
    CHECK(aligned.total() >= least_cycles(aligned, 4, s.chip.hop_cycles));
    CHECK(aligned.total() >= aligned.compute());
    s.align = true;
    if (algorithm == kernels::gemm_algorithm::summa)
      CHECK(time_gemm(s).total() == aligned.total());
    else
      CHECK(time_gemm(s).total() > aligned.total());
    s.align = false;
    s.weight_bits = 4;
    const timed_program packed = time_gemm(s);
    CHECK(packed.compute() > aligned.compute());
    CHECK(packed.bytes_per_core < aligned.bytes_per_core);
  }
}

TEST_CASE("more tokens, wider layers and a slower core never take less") {
  const auto cycles = [](const waferllm_settings& s) {
    return std::pair(time_decode_layer(s).total().value(), time_prefill_layer(s).total().value());
  };
  const auto base = cycles(small());
  const auto worse = [&](const waferllm_settings& s) {
    const auto changed = cycles(s);
    CHECK(changed.first >= base.first);
    CHECK(changed.second >= base.second);
    CHECK(changed != base);
  };
  waferllm_settings s = small();
  s.prompt_tokens = 192;
  worse(s);
  s = small();
  s.feed_forward = 960;
  worse(s);
  s = small();
  s.fma_fp16_per_cycle = 1;
  worse(s);
  s = small();
  s.chip.hop_cycles = 2;
  worse(s);
}

TEST_CASE("what cannot run is refused by name") {
  waferllm_settings s = small();
  s.side = 800;
  CHECK_THROWS_WITH(time_decode_layer(s), Catch::Contains("750 columns"));
  s = small();
  s.all_reduce.groups = 5;
  CHECK_THROWS_WITH(time_decode_layer(s), Catch::Contains("kernel.groups = 5 does not divide machine.side = 24"));
  s = small();
  s.hidden = 8192;
  CHECK_THROWS_AS(time_decode_layer(s), base::does_not_fit);
  CHECK_THROWS_AS(time_prefill_layer(s), base::does_not_fit);
}
