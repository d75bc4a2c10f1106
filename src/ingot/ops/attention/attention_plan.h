// How a step's attention is cut into pieces for the pool's threads. The cut is free: see the canonical order in
// attention_kernels.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ingot/ops/attention/paged_attention.h"

namespace ingot {

// Tokens of a row, one KV head, over splits [first_split, end_split) of the row's context.
struct AttentionUnit {
  int row, kv_head, first_token, num_tokens, first_split, end_split;
  int partial = -1;  // ≥ 0: its splits are pieces of their own, with states from this one on
};

struct AttentionPiece {
  int unit, split;  // split −1: all of the unit's
};

struct AttentionPlan {
  std::vector<AttentionUnit> units;
  std::vector<AttentionPiece> pieces;  // the dearest first
  int num_partials = 0;
};

AttentionPlan plan_attention(std::span<const int32_t> query_start, std::span<const int32_t> context_len,
                             const AttentionShape& shape, int num_threads);

}  // namespace ingot
