// Draw, then look up what was asked of the logits before or after.
#include "ingot/sample/sample.h"

#include <span>

#include "ingot/ops/sampling/cut_logits.h"

namespace ingot {
namespace {

Score score_of(LogprobsMode mode) { return is_logits(mode) ? Score::kLogit : Score::kLogprob; }

array ints(const std::vector<int32_t>& values) { return from_host(std::span<const int32_t>(values)); }

}  // namespace

Sampled sample(const array& logits, const array& adjusted, const SampleParams& params, const LogprobWishes& wishes) {
  Sampled sampled{.token = draw_tokens(adjusted, params), .logprobs = {}, .chosen = {}};
  if (wishes.most < 0) return sampled;
  const array shown = is_processed(wishes.mode) ? cut_logits(adjusted, params) : logits;
  const Score score = score_of(wishes.mode);
  sampled.logprobs = token_logprobs(shown, sampled.token, wishes.most, score);
  if (!wishes.chosen_ids.empty())
    sampled.chosen = logprobs_at(shown, ints(wishes.chosen_rows), ints(wishes.chosen_ids), score);
  return sampled;
}

TokenLogprobArrays score_prompt(const array& logits, const array& tokens, int most, LogprobsMode mode) {
  return token_logprobs(logits, tokens, most, score_of(mode));
}

}  // namespace ingot
