// Which weight is stored in which format: the quantization_config of a description, asked module by module.
#pragma once

#include <cstdint>
#include <regex>
#include <string>
#include <vector>

#include "firmware_stubs/model/config_object.h"
#include "firmware_stubs/model/weight_format.h"

namespace scribeline::model {

// What a weight is to a quantiser: only linear layers are packed. Tables, routers, norms, convolutions and
// biases stay as trained. The output head is a linear layer to some quantisers and never touched by others.
enum class weight_role { linear, routed_expert, head, unquantized };

// A set of module names as quantisers write it: exact names, globs ("model.layers.0*"), prefixes ending at a
// dot ("model.layers.*.self_attn") or regular expressions ("re:.*shared_experts.*").
class module_patterns {
 public:
  // How a pattern without "re:" matches: the whole name, or the name or any dotted part that leads it.
  enum class reach { whole_name, leading_parts };

  module_patterns() = default;
  // Throws std::regex_error for a bad expression. '*' and '?' are the wildcards of a glob.
  module_patterns(const std::vector<std::string>& patterns, reach how);

  bool match(const std::string& module) const;

 private:
  std::vector<std::string> globs_;
  std::vector<std::regex> expressions_;
  reach reach_ = reach::whole_name;
};

// The quantisation of one model. Default: nothing is quantised.
class quantization {
 public:
  quantization() = default;

  // Reads a quantization_config. `plain_bits` is the width of what stays unquantised. Throws model_error for
  // a method, a format or a key that is not known.
  static quantization read(config_object config, std::uint32_t plain_bits);
  static quantization plain(std::uint32_t plain_bits);

  // The format of the weight of `module` ("model.layers.3.mlp.experts.0.up_proj").
  weight_format format_of(const std::string& module, weight_role role) const;

  // DeepSeek-V4's expert_dtype "fp4": routed experts in another format than the other linear layers.
  void set_expert_format(const weight_format& format) { groups_.insert(groups_.begin(), {true, {}, format}); }

  const std::string& method() const { return method_; }     // "none", "fp8", "compressed-tensors", ...
  std::uint32_t cache_bits() const { return cache_bits_; }  // of a cached key or value
  std::uint32_t plain_bits() const { return plain_.bits_per_weight; }

 private:
  struct group {
    bool routed_experts_only = false;
    std::vector<module_patterns> targets;  // empty: every linear layer
    weight_format format;
  };

  void read_compressed_tensors(config_object& config);
  void read_modelopt(config_object& config);
  void read_mxfp4(config_object& config);
  void read_fp8(config_object& config);
  void read_cache_scheme(config_object& config);

  std::string method_ = "none";
  weight_format plain_ = plain_format(16);
  std::uint32_t cache_bits_ = 16;
  std::vector<group> groups_;
  bool quantizes_head_ = false;
  module_patterns ignored_;
};

}  // namespace scribeline::model
