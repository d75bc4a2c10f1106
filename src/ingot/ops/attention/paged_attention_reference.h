// Paged attention by MLX operations on gathered pages: the oracle of the kernels. Evaluates the metadata.
#pragma once

#include "ingot/ops/attention/paged_attention.h"

namespace ingot::reference {

// Float32 throughout, but for keys and values, which are bfloat16 in the pool. `pool` is not changed: the result's pool
// is a copy.
Attended paged_attention(const array& qkv, const array& pool, int layer, const AttentionMeta& meta,
                         const AttentionShape& shape);

}  // namespace ingot::reference
