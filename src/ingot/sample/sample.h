// From a step's logits to its tokens: the second submission of a step.
#pragma once

#include <optional>

#include "ingot/ops/sampling/draw_tokens.h"
#include "ingot/ops/sampling/token_logprobs.h"

namespace ingot {

struct Sampled {
  array token;                                 // int32[R]
  std::optional<TokenLogprobArrays> logprobs;  // of the raw logits
};

// Draws from `adjusted`, the logits after adjust_logits() (the raw ones where nothing is adjusted); logprobs are of the raw
// ones. num_logprobs: the most that any row wants. −1: none; 0: of the sampled token; k: also of the k best.
Sampled sample(const array& logits, const array& adjusted, const SampleParams& params, int num_logprobs);

}  // namespace ingot
