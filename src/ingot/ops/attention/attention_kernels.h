// The table of attention kernels (see ops/cpu/isa.h): one KV head of one row at a time.
//
// Canonical order. Keys are cut at absolute positions into tiles of 64 tokens and splits of 512. Within a split a query
// runs the online softmax over its tiles in ascending order; the splits' states are merged in ascending order. Tokens
// out of sight contribute an exact 0, and a tile or split without a token in sight changes nothing, so how queries are
// batched and who works on which split leave no trace in the result.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ingot::cpu {

inline constexpr int kTileTokens = 64;
inline constexpr int kSplitTokens = 512;
inline constexpr int kMaxHeadDim = 512;

// Consecutive tokens of a row and the query heads that share a KV head. Query row = token · group + head of the group.
struct QueryTile {
  const float* query = nullptr;  // the group's first head of the first token
  size_t query_stride = 0;       // floats from token to token
  const float* rope = nullptr;   // the first token's row of the rope table
  int rotary_half = 0;           // pairs of channels that are rotated
  int num_tokens = 0, group = 0, head_dim = 0;
  float scale = 0.0f;  // of the scores, times log₂ e: probabilities are powers of two
  int first_position = 0;
  int window = 0;  // 0 = none

  const uint16_t* pages = nullptr;  // this layer's and head's part of block 0
  size_t page_stride = 0;           // elements from block to block
  const int32_t* block_table = nullptr;
  int block_size = 0;

  int rows() const { return num_tokens * group; }
  int last_position() const { return first_position + num_tokens - 1; }
  // The first token that any query of the tile sees.
  int first_seen() const { return window > 0 && first_position >= window ? first_position - window + 1 : 0; }
};

// One KV head of one token.
struct KeyValue {
  const float *key, *value;  // [head_dim]
  const float* rope;         // the token's row of the rope table
  int rotary_half, head_dim;
};

// State of `rows` online softmaxes: floats max[rows], sum[rows], out[rows][head_dim]; rows padded to 16 in the first
// two.
constexpr size_t padded(int rows) { return (size_t(rows) + 15) / 16 * 16; }
constexpr size_t state_floats(int rows, int head_dim) { return 2 * padded(rows) + size_t(rows) * head_dim; }
constexpr size_t scratch_floats(int rows, int head_dim) { return size_t(rows) * (head_dim + 16); }

struct AttentionKernels {
  // Rotates a token's key and writes both, rounded to bfloat16, as token `offset` of the K strip at `strip` and of the
  // V strip behind it (kv_pool.h).
  void (*write_token)(const KeyValue& token, uint16_t* strip, int offset);

  // Rotates the tile's queries into scratch[scratch_floats()], in front of attend_split.
  void (*load_queries)(const QueryTile& tile, float* scratch);

  // The state of the tile's queries over one split.
  void (*attend_split)(const QueryTile& tile, int split, float* scratch, float* state);

  void (*merge)(float* state, const float* later, int rows, int head_dim);

  // out, sum-normalised: the group's heads of each token at out + token · out_stride.
  void (*finish)(const QueryTile& tile, const float* state, float* out, size_t out_stride);
};

}  // namespace ingot::cpu
