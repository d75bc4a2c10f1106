// Natural-log probabilities, or logits, of chosen tokens and of the best ones.
#pragma once

#include "ingot/tensor/array.h"

namespace ingot {

enum class Score { kLogprob, kLogit };

struct TokenLogprobArrays {
  array logprob;       // float32[R]: of the row's token
  array rank;          // int32[R]: number of logits ≥ the token's
  array top_ids;       // int32[R, k]: best first, equals by lower id
  array top_logprobs;  // float32[R, k]
};

// log softmax of logits float32[R, V], or the logits themselves, at tokens int32[R] and at the k best of each row,
// 0 ≤ k ≤ V.
TokenLogprobArrays token_logprobs(const array& logits, const array& tokens, int k, Score score = Score::kLogprob);

// The same at chosen places: out[i] is of the token ids[i] in row rows[i]; rows, ids int32[N].
array logprobs_at(const array& logits, const array& rows, const array& ids, Score score = Score::kLogprob);

namespace reference {
TokenLogprobArrays token_logprobs(const array& logits, const array& tokens, int k, Score score = Score::kLogprob);
array logprobs_at(const array& logits, const array& rows, const array& ids, Score score = Score::kLogprob);
}  // namespace reference

}  // namespace ingot
