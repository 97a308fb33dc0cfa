// Operations of one token mixer. Private to the plan library.
#pragma once

#include "firmware_stubs/plan/layer_builder.h"

namespace scribeline::plan {

void add_grouped_attention(layer_builder& build, const model::grouped_attention& a, const std::string& module);
void add_latent_attention(layer_builder& build, const model::latent_attention& a, const std::string& module);
void add_compressed_attention(layer_builder& build, const model::compressed_attention& a, const std::string& module);

}  // namespace scribeline::plan
