#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "tests/unit/plan/planned.h"

using namespace scribeline;
using namespace planned;

namespace {

// What the header says, token by token: entries visible to the token at `position`.
std::uint64_t visible_at(const plan::operation& op, std::uint64_t position) {
  const std::uint64_t seen = position + 1;
  if (op.reach == plan::span::chunk) return position % op.window + 1;
  if (op.reach == plan::span::sliding_window) return std::min(seen, op.window);
  const std::uint64_t entries = seen / op.positions_per_entry;
  return op.sparse_top_k == 0 ? entries : std::min(entries, op.sparse_top_k);
}

std::uint32_t below(std::mt19937& random, std::uint32_t limit) {
  return static_cast<std::uint32_t>(random() % limit);
}

plan::operation random_attention(std::mt19937& random) {
  plan::operation op;
  op.kind = plan::op_kind::attention;
  op.heads = 1 + below(random, 4);
  op.key_width = 1 + below(random, 8);
  op.value_width = below(random, 8);
  op.cache_entry_bytes = base::bytes{1 + static_cast<std::int64_t>(below(random, 16))};
  op.reach = static_cast<plan::span>(below(random, 3));
  if (op.reach != plan::span::all) {
    op.window = 1 + below(random, 20);
  } else {
    op.positions_per_entry = 1 + below(random, 5);
    op.sparse_top_k = below(random, 2) == 0 ? 0 : 1 + below(random, 9);
  }
  return op;
}

}  // namespace

TEST_CASE("attention work of a chunk is the sum over its tokens") {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    const plan::operation op = random_attention(random);
    const std::uint64_t context = random() % 70;
    const std::uint64_t tokens = 1 + random() % 60;
    INFO("seed 7, round " << round);
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < tokens; ++i)
      sum += visible_at(op, context + i);
    CHECK(plan::visible_entries(op, tokens, context) == sum);
    const plan::work w = plan::work_of(op, tokens, context);
    CHECK(w.macs == static_cast<double>(sum * op.heads * (op.key_width + op.value_width)));
    // Reading each entry once is no more than reading it for each token, and no less than for the greediest.
    CHECK(w.cache_bytes_read <= op.cache_entry_bytes * static_cast<std::int64_t>(sum));
    CHECK(w.cache_bytes_read >= op.cache_entry_bytes * static_cast<std::int64_t>(visible_at(op, context + tokens - 1)));
    if (tokens == 1) CHECK(w.cache_bytes_read == op.cache_entry_bytes * static_cast<std::int64_t>(sum));
  }
}

TEST_CASE("cache reads of windows and chunks count each position once") {
  plan::operation op;
  op.kind = plan::op_kind::attention;
  op.cache_entry_bytes = base::bytes{1};
  op.reach = plan::span::sliding_window;
  op.window = 10;
  CHECK(plan::work_of(op, 1, 100).cache_bytes_read.value() == 10);
  CHECK(plan::work_of(op, 5, 100).cache_bytes_read.value() == 14);
  CHECK(plan::work_of(op, 5, 3).cache_bytes_read.value() == 8);
  op.reach = plan::span::chunk;
  CHECK(plan::work_of(op, 1, 100).cache_bytes_read.value() == 1);   // the first of its chunk
  CHECK(plan::work_of(op, 1, 109).cache_bytes_read.value() == 10);  // the last of its chunk
  CHECK(plan::work_of(op, 5, 108).cache_bytes_read.value() == 13);  // 100 .. 112
}

TEST_CASE("a decode step of a Llama-3.1-8B layer by hand") {
  const planned_model m = from_models("llama-3.1-8b");
  const plan::work w = plan::work_of(m.layer(0), 1, 999);
  const double projections = 4096.0 * (4096 + 1024 + 1024) + 4096.0 * 4096 + 3.0 * 4096 * 14336;
  CHECK(w.macs == projections + 1000.0 * 32 * (128 + 128));
  CHECK(w.weight_bytes_read.value() == 2 * (218103808 + 2 * 4096));
  CHECK(w.cache_bytes_read.value() == 1000 * 4096);
  CHECK(w.cache_bytes_written.value() == 4096);
}

TEST_CASE("a decode step of absorbed latent attention by hand") {
  const planned_model m = from_models("kimi-k2.6");
  const plan::layer_plan& layer = m.layer(30);
  CHECK(plan::work_of(op(layer, "absorb_key"), 1, 0).macs == 64.0 * 128 * 512);
  CHECK(plan::work_of(op(layer, "absorb_value"), 1, 0).macs == 64.0 * 512 * 128);
  const plan::work attention = plan::work_of(op(layer, "score_and_value"), 1, 8191);
  CHECK(attention.macs == 8192.0 * 64 * (576 + 512));
  CHECK(attention.cache_bytes_read.value() == 8192 * 1152);
  CHECK(plan::work_of(op(layer, "latent_append"), 1, 8191).cache_bytes_written.value() == 1152);
  const plan::work experts = plan::work_of(op(layer, "experts_gate_up"), 1, 0);
  CHECK(experts.macs == 8.0 * 7168 * 4096);
  CHECK(experts.weight_bytes_read.value() == 8 * 7168 * 4096 / 16 * 9);
}

TEST_CASE("a decode step of compressed sparse attention by hand") {
  const planned_model m = from_models("deepseek-v4-pro");
  const plan::layer_plan& indexed = m.layer(2);  // an entry for 4 positions, the best 1,024 of them
  const std::uint64_t context = 65535;           // 16,384 entries with this token's
  CHECK(plan::work_of(op(indexed, "index_score_and_select"), 1, context).macs == 16384.0 * 64 * 128);
  CHECK(plan::work_of(op(indexed, "index_score_and_select"), 1, context).cache_bytes_read.value() == 16384 * 132);
  CHECK(plan::work_of(op(indexed, "compressed_score_and_value"), 1, context).macs == 1024.0 * 128 * 1024);
  CHECK(plan::work_of(op(indexed, "window_score_and_value"), 1, context).cache_bytes_read.value() == 128 * 1024);
  CHECK(plan::work_of(op(indexed, "compressor_append"), 1, context).cache_bytes_written.value() == 1024);
  CHECK(plan::work_of(op(indexed, "compressor_append"), 1, context - 1).cache_bytes_written.value() == 0);
  const plan::layer_plan& plain = m.layer(3);  // an entry for 128 positions, all of them
  CHECK(plan::work_of(op(plain, "compressed_score_and_value"), 1, context).cache_bytes_read.value() == 512 * 1024);
  CHECK_FALSE(has_op(plain, "index_score_and_select"));
}

TEST_CASE("a recurrence reads and writes its state once per call, whatever the context") {
  const planned_model m = from_models("kimi-k3");
  const plan::operation& state = op(m.layer(0), "state_update");
  const plan::work one = plan::work_of(state, 1, 1000000);
  CHECK(one.cache_bytes_read.value() == 6291456);
  CHECK(one.cache_bytes_written.value() == 6291456);
  CHECK(one.macs == 4.0 * 96 * 128 * 128);
  const plan::work chunk = plan::work_of(state, 64, 0);
  CHECK(chunk.cache_bytes_read.value() == 6291456);
  CHECK(chunk.macs == 64 * one.macs);
}

TEST_CASE("the experts that several tokens use are those expected of independent choices") {
  plan::operation op;
  op.kind = plan::op_kind::experts;
  op.copies = 4;
  op.active_copies = 2;
  CHECK(plan::expected_active_copies(op, 0) == 0);
  CHECK(plan::expected_active_copies(op, 1) == 2);
  CHECK(plan::expected_active_copies(op, 2) == Approx(3.0));  // 4 (1 - 1/4)
  CHECK(plan::expected_active_copies(op, 3) == Approx(3.5));  // 4 (1 - 1/8)
  CHECK(plan::expected_active_copies(op, 500) == Approx(4.0));
  // By trial: 8 of 384 for 50 tokens.
  op.copies = 384;
  op.active_copies = 8;
  std::mt19937 random(11);
  double touched = 0;
  const int trials = 400;
  for (int trial = 0; trial < trials; ++trial) {
    std::set<std::uint32_t> used;
    for (int token = 0; token < 50; ++token) {
      std::set<std::uint32_t> chosen;
      while (chosen.size() < 8)
        chosen.insert(below(random, 384));
      used.insert(chosen.begin(), chosen.end());
    }
    touched += static_cast<double>(used.size());
  }
  INFO("seed 11");
  CHECK(touched / trials == Approx(plan::expected_active_copies(op, 50)).epsilon(0.005));
}

TEST_CASE("two chunks do the products and appends of one, and read no less") {
  for (const char* name : {"llama-3.1-8b", "gpt-oss-120b", "kimi-k3", "deepseek-v4-pro", "nemotron-3-super"}) {
    const planned_model m = from_models(name);
    std::mt19937 random(5);
    for (int round = 0; round < 5; ++round) {
      const std::uint64_t context = random() % 5000;
      const std::uint64_t first = 1 + random() % 300;
      const std::uint64_t second = 1 + random() % 300;
      INFO(name << ", seed 5, round " << round);
      for (std::size_t index : {std::size_t{0}, std::size_t{3}, std::size_t{7}}) {
        const plan::work whole = plan::work_of(m.layer(index), first + second, context);
        plan::work parts = plan::work_of(m.layer(index), first, context);
        parts += plan::work_of(m.layer(index), second, context + first);
        CHECK(whole.macs == Approx(parts.macs).epsilon(1e-12));
        CHECK(whole.weight_bytes_read <= parts.weight_bytes_read);
        CHECK(whole.cache_bytes_read <= parts.cache_bytes_read);
        CHECK(whole.cache_bytes_written <= parts.cache_bytes_written);
      }
    }
  }
}

TEST_CASE("no tokens are no work") {
  const planned_model m = from_models("kimi-k3");
  const plan::work w = plan::work_of(m.layer(1), 0, 100);
  CHECK(w.macs == 0);
  CHECK(w.weight_bytes_read.value() == 0);
  CHECK(w.cache_bytes_read.value() == 0);
  CHECK(w.cache_bytes_written.value() == 0);
}

TEST_CASE("longer contexts never mean less work or memory") {
  for (const char* name : {"llama-3.1-8b", "gpt-oss-120b", "kimi-k2.6", "deepseek-v4-pro", "nemotron-3-super"}) {
    const planned_model m = from_models(name);
    INFO(name);
    double macs = 0;
    std::int64_t kept = 0;
    for (std::uint64_t context = 0; context < 3000; context += 97) {
      double total = 0;
      for (const plan::layer_plan& layer : m.plan)
        total += plan::work_of(layer, 1, context).macs;
      const std::int64_t memory = plan::request_bytes(m.plan, context).total().value();
      CHECK(total >= macs);
      CHECK(memory >= kept);
      macs = total;
      kept = memory;
    }
  }
}
