// Natural-log probabilities of chosen tokens and of the best ones.
#pragma once

#include "ingot/tensor/array.h"

namespace ingot {

struct TokenLogprobArrays {
  array logprob;       // float32[R]: of the row's token
  array rank;          // int32[R]: number of logits ≥ the token's
  array top_ids;       // int32[R, k]: best first, equals by lower id
  array top_logprobs;  // float32[R, k]
};

// log softmax of logits float32[R, V] at tokens int32[R] and at the k best of each row, 0 ≤ k ≤ V.
TokenLogprobArrays token_logprobs(const array& logits, const array& tokens, int k);

namespace reference {
TokenLogprobArrays token_logprobs(const array& logits, const array& tokens, int k);
}

}  // namespace ingot
