// A whole tiny decoder with seeded random weights, dealt to the meshes of one or more wafers, and the same decoder on
// the host.
//
// The first wafer looks the token up in its embedding, the last one has the final norm and the head. Weights depend on
// the seed and the layer only: however many wafers, it is the same model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "firmware_stubs/kernels/mesh_stage.h"
#include "firmware_stubs/tiny_model/tiny_block.h"

namespace scribeline::tiny_model {

enum class mixer { grouped_attention, latent_attention, state_space };
enum class feed_forward { dense, experts };

struct tiny_layer {
  mixer mixes = mixer::grouped_attention;
  feed_forward feeds = feed_forward::dense;
};

struct tiny_decoder_spec {
  std::vector<tiny_layer> layers = {{}, {}};
  int hidden = 64;
  int vocabulary = 96;
  int feed_forward_width = 128;
  int positions = 32;  // that the caches hold
  int side = 16;       // columns and rows of every mesh: 4, 8, 16 or 32
  std::uint64_t seed = 1;
};

class tiny_decoder {
 public:
  // Layers in order, as evenly as they go. Throws base::bad_input for more wafers than layers or another side,
  // base::does_not_fit when a core's share is more than `bytes_per_core`.
  tiny_decoder(const tiny_decoder_spec& spec, int wafers, std::int64_t bytes_per_core);

  const tiny_decoder_spec& spec() const { return spec_; }
  int wafers() const { return static_cast<int>(shares_.size()); }
  // Refers to this object, which outlives it.
  mesh_stage stage(int wafer) const;
  // Of every core of the wafer, by block.
  std::vector<std::vector<sram_range>> kept(int wafer) const;
  int sram_bytes(int wafer) const { return shares_[static_cast<std::size_t>(wafer)]->sram.used(); }

  // The logits behind this token, in double precision; remembers it. Positions come in order from 0.
  vector logits_on_host(const token_step& step);
  double closest_call() const;

 private:
  struct share {
    explicit share(const tiny_decoder_spec& spec);
    address_counter sram;
    residual_stream stream;
    std::vector<std::unique_ptr<tiny_block>> blocks;
    int embedding = 0;  // byte addresses; tokens x elements of the stream
    int final_norm = 0;
    int head = 0;  // elements of the stream x logits of a column
    int logits = 0;
  };

  void add_layer(share& to, std::size_t layer);
  bool is_last(int wafer) const { return wafer + 1 == wafers(); }
  int logits_per_column() const { return base::ceil_div(spec_.vocabulary, spec_.side); }
  void load(mesh_machine& mesh, int wafer) const;
  std::vector<mesh_kernel> kernels(int wafer, const token_step& step) const;

  tiny_decoder_spec spec_;
  vector embedding_;  // vocabulary x hidden
  vector final_norm_;
  matrix head_;
  std::vector<std::unique_ptr<share>> shares_;  // blocks refer to their share's stream
};

// Elements of fp16 as a message carries them, and back.
vector numbers_of(const std::vector<std::uint8_t>& fp16_bytes);

}  // namespace scribeline::tiny_model
