// The length rule: how many tokens a request may produce behind a prompt of known length.
#pragma once

#include <cstdint>

#include "ingot/api/error.h"
#include "ingot/api/model_defaults.h"
#include "ingot/api/sampling_fields.h"

namespace ingot::api {

// The value for SamplingParams::max_tokens (≥ 1, prompt + it ≤ max_model_len). Errors, all 400: empty prompt; requested
// tokens above max_model_len (param of their field); prompt too long for what was requested (param input_tokens, the
// message names both lengths); min_tokens above the value.
Parsed<int32_t> resolve_max_tokens(int64_t num_prompt_tokens, const SamplingFields& sampling,
                                   const ModelDefaults& model);

}  // namespace ingot::api
