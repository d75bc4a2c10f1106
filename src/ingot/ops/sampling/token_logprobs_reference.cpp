// Log probabilities by MLX operations: a full sort a row.
#include "ingot/ops/sampling/token_logprobs.h"

namespace ingot::reference {

TokenLogprobArrays token_logprobs(const array& logits, const array& tokens, int k) {
  const array log_total = mx::logsumexp(logits, -1, true);
  const array mine = mx::take_along_axis(logits, mx::expand_dims(tokens, 1), 1);
  const array rank = mx::sum(mx::astype(logits >= mine, mx::int32), -1);
  const array order = mx::argsort(-logits, -1);  // stable: equals keep their ids' order
  const array top = mx::slice(order, {0, 0}, {logits.shape(0), k});
  return {.logprob = mx::squeeze(mine - log_total, 1),
          .rank = rank,
          .top_ids = mx::astype(top, mx::int32),
          .top_logprobs = mx::take_along_axis(logits, top, 1) - log_total};
}

}  // namespace ingot::reference
