#include "firmware_stubs/model/quantization.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace scribeline::model {
namespace {

// Iterative glob: on a mismatch, the last '*' takes one more character.
bool glob_matches(const std::string& pattern, std::string::const_iterator text, std::string::const_iterator end) {
  auto p = pattern.begin();
  auto star = pattern.end();
  auto resume = text;
  while (text != end) {
    if (p != pattern.end() && *p == '*') {
      star = p++;
      resume = text;
    } else if (p != pattern.end() && (*p == '?' || *p == *text)) {
      ++p;
      ++text;
    } else if (star != pattern.end()) {
      p = star + 1;
      text = ++resume;
    } else {
      return false;
    }
  }
  while (p != pattern.end() && *p == '*')
    ++p;
  return p == pattern.end();
}

bool glob_matches_leading_parts(const std::string& pattern, const std::string& module) {
  for (auto at = module.begin(); at != module.end(); ++at)
    if (*at == '.' && glob_matches(pattern, module.begin(), at)) return true;
  return glob_matches(pattern, module.begin(), module.end());
}

module_patterns patterns_from(config_object& config, const std::string& key, module_patterns::reach how) {
  try {
    return {config.texts_or_empty(key), how};
  } catch (const std::regex_error& error) {
    config.fail(key, fmt::format("a pattern is not a valid regular expression: {}", error.what()));
  }
}

weight_format fp8_block_format(std::uint32_t rows, std::uint32_t columns, std::uint32_t scale_bits) {
  weight_format format;
  format.name = fmt::format("fp8 {}x{}", rows, columns);
  format.bits_per_weight = 8;
  format.scale_bits = scale_bits;
  format.group_outputs = rows;
  format.group_inputs = columns;
  return format;
}

void expect_group_size(config_object& weights, std::uint32_t size) {
  weights.must_equal("group_size", size);
}

// The "weights" object of a compressed-tensors group.
weight_format compressed_format(config_object weights, const std::string& packing, std::uint32_t plain_bits) {
  weights.disregard({"actorder", "dynamic", "observer", "observer_kwargs", "scale_dtype", "zp_dtype"});
  const std::string type = weights.one_of("type", {"int", "float"});
  const std::uint32_t bits = weights.positive("num_bits");
  const std::string strategy = weights.text_or("strategy", "group");
  const bool symmetric = weights.flag_or("symmetric", true);
  weight_format format;
  if (packing == "mxfp4-pack-quantized" || packing == "nvfp4-pack-quantized") {
    format = packing == "mxfp4-pack-quantized" ? mxfp4_format() : nvfp4_format();
    expect_group_size(weights, format.group_inputs);
    weights.must_equal("num_bits", format.bits_per_weight);
    weights.must_say("type", "float");
    weights.must_be("symmetric", true);
    weights.must_be_empty("block_structure");
  } else {
    if (bits != 4 && bits != 8) weights.fail("num_bits", fmt::format("{} is not modelled; 4 and 8 are", bits));
    format.bits_per_weight = bits;
    format.scale_bits = plain_bits;
    format.zero_point_bits = symmetric ? 0 : bits;
    format.name = fmt::format("{}{}", type, bits);
    if (strategy == "group") {
      format.group_outputs = 1;
      format.group_inputs = weights.positive("group_size", largest::width);
      format.name += fmt::format(" g{}", format.group_inputs);
    } else if (strategy == "channel") {
      format.group_outputs = 1;
    } else if (strategy == "block") {
      const std::vector<std::uint32_t> block = weights.counts("block_structure");
      if (block.size() != 2 || block[0] == 0 || block[1] == 0)
        weights.fail("block_structure", "two sizes >= 1 are expected");
      format.group_outputs = block[0];
      format.group_inputs = block[1];
    } else if (strategy != "tensor") {
      weights.fail("strategy", fmt::format("'{}' is not known; known: group, channel, block, tensor", strategy));
    }
    weights.disregard({"group_size", "block_structure"});
  }
  weights.finish();
  return format;
}

}  // namespace

module_patterns::module_patterns(const std::vector<std::string>& patterns, reach how) : reach_(how) {
  for (const std::string& pattern : patterns) {
    if (pattern.rfind("re:", 0) == 0)
      expressions_.emplace_back(pattern.substr(3), std::regex::ECMAScript | std::regex::optimize);
    else
      globs_.push_back(pattern);
  }
}

bool module_patterns::match(const std::string& module) const {
  for (const std::string& glob : globs_)
    if (reach_ == reach::leading_parts ? glob_matches_leading_parts(glob, module)
                                       : glob_matches(glob, module.begin(), module.end()))
      return true;
  for (const std::regex& expression : expressions_)  // anchored at the start only, as Python's re.match
    if (std::regex_search(module, expression, std::regex_constants::match_continuous)) return true;
  return false;
}

quantization quantization::plain(std::uint32_t plain_bits) {
  quantization none;
  none.plain_ = plain_format(plain_bits);
  return none;
}

quantization quantization::read(config_object config, std::uint32_t plain_bits) {
  quantization result = plain(plain_bits);
  result.method_ = config.one_of("quant_method", {"compressed-tensors", "fp8", "modelopt", "mxfp4"});
  if (result.method_ == "compressed-tensors") result.read_compressed_tensors(config);
  if (result.method_ == "fp8") result.read_fp8(config);
  if (result.method_ == "modelopt") result.read_modelopt(config);
  if (result.method_ == "mxfp4") result.read_mxfp4(config);
  config.finish();
  return result;
}

void quantization::read_compressed_tensors(config_object& config) {
  quantizes_head_ = true;
  config.disregard({"quantization_status", "global_compression_ratio", "version"});
  config.must_be_empty("sparsity_config");
  config.must_be_empty("transform_config");
  const std::string default_packing = config.text("format");
  for (config_object& member : config.objects_of("config_groups")) {
    const std::string packing = member.has("format") ? member.text("format") : default_packing;
    static const std::set<std::string> known = {"pack-quantized", "int-quantized", "float-quantized",
                                                "mxfp4-pack-quantized", "nvfp4-pack-quantized"};
    if (known.count(packing) == 0)
      member.fail("format", fmt::format("'{}' is not known; known: {}", packing, fmt::join(known, ", ")));
    group entry;
    const std::vector<std::string> targets = member.texts("targets");
    if (std::find(targets.begin(), targets.end(), "Linear") == targets.end())
      entry.targets.push_back(patterns_from(member, "targets", module_patterns::reach::whole_name));
    member.disregard({"input_activations", "output_activations"});
    entry.format = compressed_format(member.object("weights"), packing, plain_.bits_per_weight);
    member.finish();
    groups_.push_back(entry);
  }
  ignored_ = patterns_from(config, "ignore", module_patterns::reach::whole_name);
  read_cache_scheme(config);
}

void quantization::read_modelopt(config_object& config) {
  quantizes_head_ = true;
  config.disregard({"producer", "config_groups"});
  const std::string algorithm = config.one_of("quant_algo", {"NVFP4", "FP8"});
  weight_format format;
  if (algorithm == "NVFP4") {
    format = nvfp4_format();
    if (config.has("config_groups"))
      for (config_object& member : config.objects_of("config_groups")) {
        config_object weights = member.object("weights");
        expect_group_size(weights, format.group_inputs);
        weights.must_equal("num_bits", format.bits_per_weight);
      }
  } else {
    format = fp8_block_format(0, 0, 32);
    format.name = "fp8 per tensor";
  }
  groups_.push_back({false, {}, format});
  ignored_ = patterns_from(config, "ignore", module_patterns::reach::whole_name);
  read_cache_scheme(config);
}

void quantization::read_mxfp4(config_object& config) {
  groups_.push_back({false, {}, mxfp4_format()});
  ignored_ = patterns_from(config, "modules_to_not_convert", module_patterns::reach::leading_parts);
}

void quantization::read_fp8(config_object& config) {
  config.disregard({"activation_scheme"});
  config.must_say("fmt", "e4m3");
  // "ue8m0": scales are powers of two and take 8 bits; otherwise they are 32-bit floats.
  const std::string scale_format = config.text_or("scale_fmt", "");
  if (!scale_format.empty() && scale_format != "ue8m0")
    config.fail("scale_fmt", fmt::format("'{}' is not known; known: ue8m0", scale_format));
  const std::vector<std::uint32_t> block = config.counts_or_empty("weight_block_size");
  if (!block.empty() && (block.size() != 2 || block[0] == 0 || block[1] == 0))
    config.fail("weight_block_size", "two sizes >= 1 are expected");
  const std::uint32_t scale_bits = scale_format.empty() ? 32 : 8;
  groups_.push_back(
      {false,
       {},
       block.empty() ? fp8_block_format(0, 0, scale_bits) : fp8_block_format(block[0], block[1], scale_bits)});
  ignored_ = patterns_from(config, "modules_to_not_convert", module_patterns::reach::leading_parts);
}

void quantization::read_cache_scheme(config_object& config) {
  if (!config.has("kv_cache_scheme")) {
    config.disregard({"kv_cache_scheme"});
    return;
  }
  config_object scheme = config.object("kv_cache_scheme");
  scheme.disregard({"dynamic", "type", "symmetric", "observer", "observer_kwargs", "actorder"});
  scheme.must_say("strategy", "tensor");
  scheme.must_be_empty("group_size");
  scheme.must_be_empty("block_structure");
  cache_bits_ = scheme.positive("num_bits");
  if (cache_bits_ != 8 && cache_bits_ != 16)
    scheme.fail("num_bits", fmt::format("{} is not modelled; 8 and 16 are", cache_bits_));
  scheme.finish();
}

weight_format quantization::format_of(const std::string& module, weight_role role) const {
  if (role == weight_role::unquantized || ignored_.match(module)) return plain_;
  if (role == weight_role::head && !quantizes_head_) return plain_;
  for (const group& entry : groups_) {
    if (entry.routed_experts_only && role != weight_role::routed_expert) continue;
    bool targeted = entry.targets.empty();
    for (const module_patterns& target : entry.targets)
      targeted = targeted || target.match(module);
    if (targeted) return entry.format;
  }
  return plain_;
}

}  // namespace scribeline::model
