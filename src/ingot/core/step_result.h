// What the runner gives back for one StepPlan, in the order of its sampling rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ingot/core/ids.h"

namespace ingot {

// Natural-log probabilities from the raw logits (temperature and cuts do not change them).
struct TokenLogprobs {
  float logprob = 0.0f;                         // of the sampled token
  int32_t rank = 1;                             // number of logits ≥ the sampled one's
  std::vector<std::pair<int32_t, float>> best;  // (token id, logprob), best first; ties by lower id
};

struct SampledToken {
  RequestId request{};
  int32_t token = 0;
  std::optional<TokenLogprobs> logprobs;
};

// Logprobs of prompt tokens, in the order of their positions.
struct PromptLogprobs {
  RequestId request{};
  int32_t first = 1;  // position of the first one in the prompt
  std::vector<TokenLogprobs> tokens;
};

struct StepResult {
  uint64_t step = 0;
  std::vector<SampledToken> tokens;
  std::vector<PromptLogprobs> prompt_logprobs;  // of rows with prompt targets, in the order of the plan
  std::string error;                            // not empty: the step failed as a whole and no token counts
};

}  // namespace ingot
