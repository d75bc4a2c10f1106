// What the readers of the sampling fields share. Each notes schema errors in `fields` and returns the first other
// fault.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ingot/api/error.h"
#include "ingot/api/field_reader.h"
#include "ingot/api/model_defaults.h"
#include "ingot/api/sampling_fields.h"

namespace ingot::api {

using Fault = std::optional<ApiError>;

struct SamplingContext {
  FieldReader& fields;
  Endpoint endpoint;
  const ModelDefaults& model;
};

// adjustment_fields.cpp: penalties, logit_bias, allowed_token_ids, bad_words, min_tokens.
Fault read_adjustments(const SamplingContext& in, SamplingFields& out);
Fault read_repetition_detection(const SamplingContext& in, SamplingFields& out);

// logprob_fields.cpp; the second needs the first's, and `echo`.
Fault read_logprobs(const SamplingContext& in, SamplingFields& out);
Fault read_prompt_logprobs(const SamplingContext& in, SamplingFields& out);

// beam_fields.cpp: before the number of choices, and after all others, whose values it takes back.
Fault read_beam_search(const SamplingContext& in, SamplingFields& out);
Fault settle_beam_search(const SamplingContext& in, SamplingFields& out);

// "FIELD RULE, got GOT."
Fault out_of_range(std::string_view field, std::string_view rule, const std::string& got);
// Names the ids of the field that no logit belongs to, if there are any.
Fault outside_vocabulary(std::string_view field, std::span<const int64_t> ids, const ModelDefaults& model);

}  // namespace ingot::api
