// What a data_mode run reports: a row a token, where its time went, and how far its logits are from the host's.
#pragma once

#include "firmware_stubs/tiny_model/tiny_decoder.h"
#include "platforms/data_pipeline/data_pipeline.h"
#include "scenarios/data_mode/data_keys.h"
#include "scenarios/harness/scenario.h"

namespace scribeline::scenarios {

// Of the tokens that have come back.
void report(const data_settings& settings, const tiny_model::tiny_decoder& decoder,
            const platforms::data_pipeline& pipeline, harness::run_context& context);

}  // namespace scribeline::scenarios
