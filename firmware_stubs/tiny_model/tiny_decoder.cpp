#include "firmware_stubs/tiny_model/tiny_decoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "firmware_stubs/kernels/gemv.h"
#include "firmware_stubs/tiny_model/tiny_attention.h"
#include "firmware_stubs/tiny_model/tiny_feed_forward.h"
#include "firmware_stubs/tiny_model/tiny_recurrent.h"
#include "rtl_tlm/base/error.h"

namespace scribeline::tiny_model {

namespace {

constexpr double epsilon = 1e-5;

// Seeds of matrices are apart by 1; a block has fewer than 100, a layer fewer than 1000.
constexpr std::uint64_t seeds_of_layer = 1000;
constexpr std::uint64_t seeds_of_mixer = 500;

std::uint64_t first_seed(const tiny_decoder_spec& spec, std::uint64_t part) {
  return base::random_stream::of(spec.seed, part).next();
}

// A head's elements lie in pairs in every column of its part, so wide meshes have wide heads.
int head_dim(const tiny_decoder_spec& spec) {
  return std::max(16, spec.side);
}

std::unique_ptr<tiny_block> make_mixer(mixer kind, std::uint64_t seed, const tiny_decoder_spec& spec,
                                       const residual_stream& stream, address_counter& sram) {
  switch (kind) {
    case mixer::grouped_attention:
      return std::make_unique<tiny_grouped_attention>(
          seed, grouped_attention_dimensions{2, 2, head_dim(spec), spec.positions}, stream, sram);
    case mixer::latent_attention: {
      const int rotary = std::max(32, 2 * spec.side);
      return std::make_unique<tiny_latent_attention>(
          seed, latent_attention_dimensions{4, 32, rotary, 1 / std::sqrt(48.0), spec.positions}, stream, sram);
    }
    case mixer::state_space:
      break;
  }
  return std::make_unique<tiny_state_space>(seed, state_space_dimensions{64, 16}, stream, sram);
}

std::unique_ptr<tiny_block> make_feed_forward(feed_forward kind, std::uint64_t seed, const tiny_decoder_spec& spec,
                                              const residual_stream& stream, address_counter& sram) {
  if (kind == feed_forward::experts)
    return std::make_unique<tiny_experts>(seed, expert_dimensions{8, 2, 32, 4}, stream, sram);
  return std::make_unique<tiny_feed_forward>(seed, spec.feed_forward_width, stream, sram);
}

void require_possible(const tiny_decoder_spec& spec, int wafers) {
  if (wafers < 1 || static_cast<std::size_t>(wafers) > spec.layers.size())
    throw base::bad_input(
        fmt::format("{} wafers for {} layers: every wafer takes a layer at least", wafers, spec.layers.size()));
  if (spec.side != 4 && spec.side != 8 && spec.side != 16 && spec.side != 32)
    throw base::bad_input(
        fmt::format("a mesh of {0} x {0} cores: heads and groups of experts divide 4, 8, 16 or 32", spec.side));
}

mesh_kernel embedding_of(int token, int table, const residual_stream& stream) {
  mesh_kernel kernel;
  kernel.name = "embedding";
  const int row = table + token * stream.elements * fabric::bytes_of(stream.type);
  kernel.before.push_back(
      fabric::copy(stream.type, fabric::sram(stream.activation), fabric::sram(row), stream.elements));
  return kernel;
}

}  // namespace

tiny_decoder::share::share(const tiny_decoder_spec& spec)
    : sram(fp16), stream(spec.hidden, spec.side, spec.side, fp16, epsilon, sram) {}

tiny_decoder::tiny_decoder(const tiny_decoder_spec& spec, int wafers, std::int64_t bytes_per_core)
    : spec_(spec),
      embedding_(random_vector(first_seed(spec, 0), spec.vocabulary * spec.hidden)),
      final_norm_(random_vector(first_seed(spec, 1), spec.hidden, 0.2, 1)),
      head_(first_seed(spec, 2), spec.hidden, spec.vocabulary) {
  require_possible(spec, wafers);
  const auto count = static_cast<std::size_t>(wafers);
  for (std::size_t wafer = 0; wafer < count; ++wafer) {
    shares_.push_back(std::make_unique<share>(spec));
    share& s = *shares_.back();
    if (wafer == 0) s.embedding = s.sram.take(spec.vocabulary * s.stream.elements);
    for (std::size_t l = wafer * spec.layers.size() / count; l < (wafer + 1) * spec.layers.size() / count; ++l)
      add_layer(s, l);
    if (wafer + 1 == count) {
      s.final_norm = s.sram.take(s.stream.elements);
      s.head = s.sram.take(s.stream.elements * logits_per_column());
      s.logits = s.sram.take(logits_per_column());
    }
    if (s.sram.used() > bytes_per_core)
      throw base::does_not_fit(
          fmt::format("wafer {}: its share of the model takes {} B of every core, which has {} B for data: "
                      "more wafers, more cores or fewer positions would fit",
                      wafer, s.sram.used(), bytes_per_core));
  }
}

void tiny_decoder::add_layer(share& to, std::size_t layer) {
  const std::uint64_t seed = first_seed(spec_, 3) + seeds_of_layer * layer;
  to.blocks.push_back(make_mixer(spec_.layers[layer].mixes, seed, spec_, to.stream, to.sram));
  to.blocks.push_back(make_feed_forward(spec_.layers[layer].feeds, seed + seeds_of_mixer, spec_, to.stream, to.sram));
}

mesh_stage tiny_decoder::stage(int wafer) const {
  const share& s = *shares_.at(static_cast<std::size_t>(wafer));
  mesh_stage stage;
  stage.columns = stage.rows = spec_.side;
  stage.leaves = activation_of(s.stream);
  if (wafer > 0) stage.enters = stage.leaves;
  if (is_last(wafer))
    stage.leaves = {spec_.vocabulary, logits_per_column(), s.logits, edge_vector::held_by::columns, fp16};
  stage.load = [this, wafer](mesh_machine& mesh) { load(mesh, wafer); };
  stage.kernels = [this, wafer](const token_step& step) { return kernels(wafer, step); };
  return stage;
}

void tiny_decoder::load(mesh_machine& mesh, int wafer) const {
  const share& s = *shares_[static_cast<std::size_t>(wafer)];
  const int n = s.stream.elements;
  if (wafer == 0)
    write_tiles(mesh, s.embedding, spec_.vocabulary, n, [&](fabric::coordinate at, int token, int e) {
      const int element = at.row * n + e;
      return element < spec_.hidden ? embedding_[static_cast<std::size_t>(token * spec_.hidden + element)] : 0;
    });
  for (const auto& block : s.blocks)
    block->load(mesh);
  if (!is_last(wafer)) return;
  write_along_rows(mesh, s.final_norm, n, final_norm_);
  write_from_rows(mesh, s.head, n, logits_per_column(), head_,
                  [&](int column, int o) { return column * logits_per_column() + o; });
}

std::vector<mesh_kernel> tiny_decoder::kernels(int wafer, const token_step& step) const {
  const share& s = *shares_[static_cast<std::size_t>(wafer)];
  if (step.token < 0 || step.token >= spec_.vocabulary)
    throw base::bad_input(fmt::format("token {} of a vocabulary of {}", step.token, spec_.vocabulary));
  std::vector<mesh_kernel> all;
  if (wafer == 0) all.push_back(embedding_of(step.token, s.embedding, s.stream));
  for (const auto& block : s.blocks)
    for (mesh_kernel& kernel : block->kernels_at(step.position))
      all.push_back(std::move(kernel));
  if (is_last(wafer)) {
    all.push_back(s.stream.norm("final norm", s.final_norm));
    all.push_back(gemv("head", {{s.stream.elements, logits_per_column(), s.head, s.stream.normalised, s.logits, fp16}},
                       collectives::axis::column));
  }
  return all;
}

std::vector<std::vector<sram_range>> tiny_decoder::kept(int wafer) const {
  std::vector<std::vector<sram_range>> all;
  for (const auto& block : shares_.at(static_cast<std::size_t>(wafer))->blocks)
    all.push_back(block->kept());
  return all;
}

vector tiny_decoder::logits_on_host(const token_step& step) {
  vector x = slice(embedding_, step.token * spec_.hidden, spec_.hidden);
  for (const auto& s : shares_)
    for (const auto& block : s->blocks)
      x = sum(x, block->on_host(x, step.position));
  return head_.times(normed(x, final_norm_, epsilon));
}

double tiny_decoder::closest_call() const {
  double closest = 1e9;
  for (const auto& s : shares_)
    for (const auto& block : s->blocks)
      closest = std::min(closest, block->closest_call());
  return closest;
}

vector numbers_of(const std::vector<std::uint8_t>& fp16_bytes) {
  vector numbers;
  for (std::size_t i = 0; i + 1 < fp16_bytes.size(); i += 2)
    numbers.push_back(core::float_from_fp16(static_cast<std::uint16_t>(fp16_bytes[i] | fp16_bytes[i + 1] << 8)));
  return numbers;
}

}  // namespace scribeline::tiny_model
