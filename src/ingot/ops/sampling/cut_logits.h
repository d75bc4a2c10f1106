// The logits that draw_tokens chooses among, for replies that show them.
#pragma once

#include "ingot/ops/sampling/draw_tokens.h"

namespace ingot {

// logits float32[R, V] → logits / temperature, −∞ where min_p, top_k or top_p drops a token; greedy rows as they are.
array cut_logits(const array& logits, const SampleParams& params);

namespace reference {
array cut_logits(const array& logits, const SampleParams& params);
}

}  // namespace ingot
