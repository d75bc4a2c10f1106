// What a request's owner hears from the engine.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ingot/base/clock.h"
#include "ingot/base/result.h"
#include "ingot/core/ids.h"
#include "ingot/core/step_result.h"

namespace ingot {

enum class FinishReason { kStop, kLength, kAbort, kError, kRepetition };

// A request's moments; a zero TimePoint has not come yet.
struct RequestTimes {
  TimePoint arrival{}, first_scheduled{}, first_token{}, last_token{};
};

struct TokenEvent {
  RequestId request{};
  std::vector<SampledToken> tokens;  // new ones, in order; may be empty on the last event
  // Prompt logprobs that became known; a preempted prompt may bring the same positions again, with the same values.
  std::vector<PromptLogprobs> prompt_logprobs;
  std::optional<FinishReason> finish;    // set on the last event
  std::optional<int32_t> stop_token_id;  // the stop_token_ids entry that ended it; absent for EOS and length
  std::optional<Error> error;            // with kError
  int32_t num_cached_tokens = 0;         // prompt tokens taken from the prefix cache at first admission
  RequestTimes times;
};

}  // namespace ingot
