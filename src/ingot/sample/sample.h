// From a step's logits to its tokens: the second submission of a step.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ingot/core/logprobs_mode.h"
#include "ingot/ops/sampling/draw_tokens.h"
#include "ingot/ops/sampling/token_logprobs.h"

namespace ingot {

// The logprobs that the rows of a step want.
struct LogprobWishes {
  LogprobsMode mode = LogprobsMode::kRawLogprobs;
  int most = -1;  // of any row. −1: none; 0: of the sampled token; k: also of the k best
  std::vector<int32_t> chosen_rows{}, chosen_ids{};  // further places: ids by row, rows ascending
};

struct Sampled {
  array token;                                 // int32[R]
  std::optional<TokenLogprobArrays> logprobs;  // where a row wants some
  std::optional<array> chosen;                 // float32[N]: where there are chosen places
};

// Draws from `adjusted`, the logits after adjust_logits() (the raw ones where nothing is adjusted).
Sampled sample(const array& logits, const array& adjusted, const SampleParams& params, const LogprobWishes& wishes);

// The logprobs of prompt tokens int32[R] under their logits.
TokenLogprobArrays score_prompt(const array& logits, const array& tokens, int most, LogprobsMode mode);

}  // namespace ingot
