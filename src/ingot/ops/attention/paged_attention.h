// Causal attention of a ragged batch over paged keys and values, with rope and the KV write in the same node.
#pragma once

#include <optional>

#include "ingot/tensor/array.h"

namespace ingot {

struct AttentionShape {
  int num_heads = 0;  // query heads; a multiple of num_kv_heads, heads of one KV head adjacent
  int num_kv_heads = 0;
  int head_dim = 0;    // a multiple of 16
  float scale = 1.0f;  // of the scores, usually head_dim^−½
  int window = 0;      // a query sees this many tokens, itself included; 0 = all
};

// What the rows of a step have in common; built once a step, shared by the layers of one KV group. Row r owns the
// tokens query_start[r] … query_start[r+1] − 1; they are the last ones of its context_len[r] tokens.
struct AttentionMeta {
  array query_start;  // int32[R + 1], ascending from 0 to T
  array context_len;  // int32[R]: tokens in the pool once this step's are written
  array block_table;  // int32[R, max_blocks]; blocks out of the window or past the context are not looked at
  array rope;         // rope_table() of the tokens' positions: [T, 2, rotary_dim / 2]
  int block_size = 0;
  std::optional<array> query_rope = {};  // queries' own table, of the same shape; absent: `rope`
};

struct Attended {
  array out;   // float32[T, num_heads · head_dim]
  array pool;  // the pool with this step's keys and values: use it from here on
};

// qkv float32[T, (num_heads + 2 num_kv_heads) · head_dim]: queries, keys, values. The first rotary_dim channels of each
// query and key head are rotated in half-split pairs (i, i + rotary_dim / 2). The keys and values are rounded to
// bfloat16 into `pool` (make_kv_pool) at `layer`, the layer's place in its group, in place.
//
// The result for a token depends, bit for bit, only on its query and on its context's pages: keys are taken in tiles
// and splits at absolute positions, in one order, however tokens are batched or chunked. Queries and probabilities are
// rounded to bfloat16 for their products; sums are float32.
// Throws std::invalid_argument on shapes that do not fit.
Attended paged_attention(const array& qkv, const array& pool, int layer, const AttentionMeta& meta,
                         const AttentionShape& shape);

}  // namespace ingot
