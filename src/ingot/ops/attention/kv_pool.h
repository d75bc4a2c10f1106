// The pages of one group of layers that have the same KvSpec: one array, written in place by attention.
//
// bfloat16[layers, blocks, page]; page = 2 · block_size · kv_heads · head_dim elements. On CPU the inside of a page is
//   [kv_head][block_size / 16 strips][K strip, V strip]
//   K strip  [head_dim / 2][16 tokens][2]: channels 2i and 2i + 1 side by side, so that a 64-byte line and one pair of
//   a
//            query's channels give 16 tokens' partial scores in one dot product of pairs
//   V strip  [8 token pairs][head_dim][2]: tokens 2j and 2j + 1 side by side, so that a line and one pair of
//            probabilities give 16 channels' partial outputs
// Writing the first token of a page zeroes the page, so a page in use never holds a former owner's NaN or infinity.
#pragma once

#include "ingot/core/kv_spec.h"
#include "ingot/tensor/array.h"

namespace ingot {

inline constexpr int kStripTokens = 16;

// Memory is reserved, not touched: it becomes resident as tokens are written, by small pages, beyond the first 8 MiB of
// a layer by huge ones. Throws
// std::invalid_argument unless block_size and head_dim are multiples of 16 and num_blocks ≥ 1.
array make_kv_pool(const KvGroup& group, int num_blocks, int block_size);

// Bytes of one block across the group's layers.
size_t kv_block_bytes(const KvGroup& group, int block_size);

// Copies whole blocks from[i] → to[i] (int32[n]) in every layer, in order, in place. Use the result for the pool.
array copy_blocks(const array& pool, const array& from, const array& to);

}  // namespace ingot
