// Log probabilities by MLX operations: a full sort a row.
#include "ingot/ops/sampling/token_logprobs.h"

namespace ingot::reference {

namespace {

array log_total(const array& logits, Score score) {
  return score == Score::kLogit ? mx::zeros({logits.shape(0), 1}) : mx::logsumexp(logits, -1, true);
}

}  // namespace

TokenLogprobArrays token_logprobs(const array& logits, const array& tokens, int k, Score score) {
  const array total = log_total(logits, score);
  const array mine = mx::take_along_axis(logits, mx::expand_dims(tokens, 1), 1);
  const array rank = mx::sum(mx::astype(logits >= mine, mx::int32), -1);
  const array order = mx::argsort(-logits, -1);  // stable: equals keep their ids' order
  const array top = mx::slice(order, {0, 0}, {logits.shape(0), k});
  return {.logprob = mx::squeeze(mine - total, 1),
          .rank = rank,
          .top_ids = mx::astype(top, mx::int32),
          .top_logprobs = mx::take_along_axis(logits, top, 1) - total};
}

array logprobs_at(const array& logits, const array& rows, const array& ids, Score score) {
  return mx::take(mx::flatten(logits - log_total(logits, score)), rows * array(logits.shape(1)) + ids);
}

}  // namespace ingot::reference
