// Attention over bfloat16 pages: rope, the KV write, and the online softmax (Milakov and Gimelshein 2018;
// FlashAttention, Dao et al. 2022) of a tile of queries over 64 keys at a time.
#include "ingot/ops/attention/attention_kernels.h"

#include <float.h>

#include "ingot/ops/attention/simd_pairs.h"
#include "ingot/ops/cpu/simd.h"

namespace ingot::cpu {
namespace {

constexpr int kStrip = 16;  // tokens of a strip (kv_pool.h)
constexpr int kTileStrips = kTileTokens / kStrip;
constexpr float kNoMax = -FLT_MAX;  // of a query that has seen nothing
const int32_t kIota[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

INGOT_INLINE int least(int a, int b) { return a < b ? a : b; }
INGOT_INLINE int greatest(int a, int b) { return a > b ? a : b; }

// 2^x for x ≤ ~1; an exact 0 below −126, an exact 1 at 0. Taylor polynomial of degree 6 on [−½, ½].
INGOT_INLINE F32 exp2(F32 x) {
  const F32 bounded = max(set1(-126.0f), x);  // NaN passes
  const I32 n = round_to_i32(bounded);
  const F32 r = bounded - to_f32(n);
  F32 p = set1(1.54035304e-4f);
  for (float coefficient : {1.33335581e-3f, 9.61812911e-3f, 5.55041087e-2f, 0.240226507f, 0.693147181f, 1.0f})
    p = fma(p, r, set1(coefficient));
  const F32 y = p * from_bits(shift_left<23>(n + set1(127)));
  return select_greater(set1(-126.0f), x, zero_f32(), y);
}

// The head at x with its first 2 · half channels rotated in half-split pairs: lane i of rope is cos, half + i is sin.
INGOT_INLINE void rotate(const float* x, const float* rope, int half, int head_dim, float* y) {
  int i = 0;
  for (; i + 16 <= half; i += 16) {
    const F32 cosine = load(rope + i), sine = load(rope + half + i), a = load(x + i), b = load(x + half + i);
    store(y + i, a * cosine - b * sine);
    store(y + half + i, b * cosine + a * sine);
  }
  if (const int n = half - i; n > 0) {
    const F32 cosine = load_first(rope + i, n), sine = load_first(rope + half + i, n);
    const F32 a = load_first(x + i, n), b = load_first(x + half + i, n);
    store_first(y + i, a * cosine - b * sine, n);
    store_first(y + half + i, b * cosine + a * sine, n);
  }
  for (int c = 2 * half; c < head_dim; ++c) y[c] = x[c];
}

void write_token(const KeyValue& token, uint16_t* strip, int offset) {
  const int head_dim = token.head_dim;
  float rotated[kMaxHeadDim];
  uint16_t half[kMaxHeadDim];
  rotate(token.key, token.rope, token.rotary_half, head_dim, rotated);
  for (int c = 0; c < head_dim; c += 16) store_bf16(half + c, load(rotated + c));
  uint16_t* keys = strip + 2 * offset;
  for (int c = 0; c < head_dim; c += 2) __builtin_memcpy(keys + c * kStrip, half + c, 2 * sizeof *half);

  for (int c = 0; c < head_dim; c += 16) store_bf16(half + c, load(token.value + c));
  uint16_t* values = strip + kStrip * head_dim + (offset / 2) * 2 * head_dim + offset % 2;
  for (int c = 0; c < head_dim; ++c) values[2 * c] = half[c];
}

void load_queries(const QueryTile& tile, float* scratch) {
  float rotated[kMaxHeadDim];
  Operand* query = reinterpret_cast<Operand*>(scratch);
  for (int t = 0; t < tile.num_tokens; ++t) {
    for (int h = 0; h < tile.group; ++h, query += tile.head_dim) {
      rotate(tile.query + t * tile.query_stride + h * tile.head_dim, tile.rope + t * 2 * tile.rotary_half,
             tile.rotary_half, tile.head_dim, rotated);
      for (int c = 0; c < tile.head_dim; c += 16) store_operands(query + c, load(rotated + c));
    }
  }
}

// The strips of one tile that some query sees: [begin, end) of its four. `ahead` elements from each lies a strip of the
// next tile, which is fetched meanwhile: contexts stream from memory, and pages are too short for the processor to
// tell.
struct TileStrips {
  const uint16_t* keys[kTileStrips];
  ptrdiff_t ahead[kTileStrips] = {};
  int begin, end;
};

INGOT_INLINE TileStrips find_strips(const QueryTile& tile, int start) {
  TileStrips strips;
  strips.begin = greatest(0, (tile.first_seen() - start) / kStrip);
  strips.end = least(kTileStrips, (tile.last_position() - start) / kStrip + 1);
  for (int s = strips.begin; s < strips.end; ++s) {
    const int token = start + s * kStrip;
    const size_t block = tile.block_table[token / tile.block_size];
    strips.keys[s] = tile.pages + block * tile.page_stride +
                     size_t(token % tile.block_size) * 2 * tile.head_dim;  // K and V: 2 · head_dim a token
  }
  return strips;
}

INGOT_INLINE void look_ahead(TileStrips& strips, const TileStrips& next) {
  for (int s = greatest(strips.begin, next.begin); s < least(strips.end, next.end); ++s)
    strips.ahead[s] = next.keys[s] - strips.keys[s];
}

// scores[M][64] of M queries against the N strips from `s` on.
template <int M, int N>
void score(const Operand* query, int head_dim, const TileStrips& strips, int s, float* scores) {
  F32 sum[M][N];
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) sum[m][n] = zero_f32();
  for (int c = 0; c < head_dim; c += 2) {
    Pairs key[N];
    for (int n = 0; n < N; ++n) {
      const uint16_t* line = strips.keys[s + n] + c * kStrip;
      key[n] = load_pairs(line);
      prefetch(line + strips.ahead[s + n]);
    }
    for (int m = 0; m < M; ++m) {
      const Pairs q = broadcast_pair(query + m * head_dim + c);
      for (int n = 0; n < N; ++n) sum[m][n] = dot(sum[m][n], key[n], q);
    }
  }
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) store(scores + m * kTileTokens + (s + n) * kStrip, sum[m][n]);
}

// out[M][16 · N channels] = out · decay + probabilities[M][64] · values, from channel `c` on.
template <int M, int N>
void weigh(const Operand* probability, const TileStrips& strips, int head_dim, int c, const float* decay, float* out) {
  F32 sum[M][N];
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) sum[m][n] = load(out + m * head_dim + c + n * 16) * set1(decay[m]);
  for (int s = strips.begin; s < strips.end; ++s) {
    const uint16_t* values = strips.keys[s] + kStrip * head_dim + 2 * c;
    for (int t = 0; t < kStrip; t += 2, values += 2 * head_dim) {
      Pairs value[N];
      for (int n = 0; n < N; ++n) {
        value[n] = load_pairs(values + 32 * n);
        prefetch(values + 32 * n + strips.ahead[s]);
      }
      for (int m = 0; m < M; ++m) {
        const Pairs p = broadcast_pair(probability + m * kTileTokens + s * kStrip + t);
        for (int n = 0; n < N; ++n) sum[m][n] = dot(sum[m][n], value[n], p);
      }
    }
  }
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) store(out + m * head_dim + c + n * 16, sum[m][n]);
}

// What the row blocks of a split share.
struct Split {
  const QueryTile& tile;
  const Operand* queries;  // [rows][head_dim]
  float* lane_sums;        // [rows][16]: of the probabilities
  float* max;              // [rows]
  float* out;              // [rows][head_dim]
};

// What M queries have of one tile.
template <int M>
struct RowBlock {
  alignas(64) float scores[M * kTileTokens];
  alignas(64) Operand probabilities[M * kTileTokens];
  alignas(64) float decay[16];  // by row: what the state before this tile is worth
};

// Scores of one query against the tile at `start`, −∞ where it does not see the token; returns the best.
INGOT_INLINE F32 mask_scores(const QueryTile& tile, int position, int start, const TileStrips& strips, float* scores) {
  const int end = position - start + 1;  // seen lanes: [begin, end) of 64
  const int begin = tile.window > 0 ? end - tile.window : 0;
  F32 best = set1(-__builtin_inff());
  for (int s = strips.begin; s < strips.end; ++s) {
    F32 score = load(scores + s * kStrip);
    if (begin > s * kStrip || end < (s + 1) * kStrip) {
      const F32 lane = to_f32(load(kIota) + set1(s * kStrip));
      const F32 none = set1(-__builtin_inff());
      score = select_greater(to_f32(set1(end)), lane, select_greater(to_f32(set1(begin)), lane, none, score), none);
      store(scores + s * kStrip, score);
    }
    best = max(score, best);
  }
  return best;
}

// Scores → probabilities relative to the new maximum.
template <int M>
INGOT_INLINE void soften(const Split& split, int row, int start, const TileStrips& strips, RowBlock<M>& block) {
  float tops[16] = {};
  for (int m = 0; m < M; ++m) {
    const int position = split.tile.first_position + (row + m) / split.tile.group;
    tops[m] = reduce_max(mask_scores(split.tile, position, start, strips, block.scores + m * kTileTokens));
  }
  const F32 scale = set1(split.tile.scale), old_max = load_first(split.max + row, M);
  const F32 new_max = max(load(tops) * scale, old_max);
  store_first(split.max + row, new_max, M);
  store(block.decay, exp2(old_max - new_max));
  store(tops, new_max);
  for (int m = 0; m < M; ++m) {
    const F32 negative_max = zero_f32() - set1(tops[m]);
    F32 sum = load(split.lane_sums + (row + m) * 16) * set1(block.decay[m]);
    for (int s = strips.begin; s < strips.end; ++s) {
      const int at = m * kTileTokens + s * kStrip;
      sum = sum + store_operands(block.probabilities + at, exp2(fma(load(block.scores + at), scale, negative_max)));
    }
    store(split.lane_sums + (row + m) * 16, sum);
  }
}

// One step of the online softmax: M queries from `row` on, over the tile at `start`.
template <int M>
void attend_rows(const Split& split, int row, int start, const TileStrips& strips) {
  const int head_dim = split.tile.head_dim;
  const Operand* query = split.queries + size_t(row) * head_dim;
  RowBlock<M> block;
  int s = strips.begin;
  for (; s + kPairColumns <= strips.end; s += kPairColumns)
    score<M, kPairColumns>(query, head_dim, strips, s, block.scores);
  for (; s < strips.end; ++s) score<M, 1>(query, head_dim, strips, s, block.scores);
  soften(split, row, start, strips, block);
  float* out = split.out + size_t(row) * head_dim;
  int c = 0;
  for (; c + 16 * kPairColumns <= head_dim; c += 16 * kPairColumns)
    weigh<M, kPairColumns>(block.probabilities, strips, head_dim, c, block.decay, out);
  for (; c < head_dim; c += 16) weigh<M, 1>(block.probabilities, strips, head_dim, c, block.decay, out);
}

template <int M>
INGOT_INLINE void attend_up_to(int rows, const Split& split, int row, int start, const TileStrips& strips) {
  if constexpr (M > 1) {
    if (rows < M) return attend_up_to<M - 1>(rows, split, row, start, strips);
  }
  attend_rows<M>(split, row, start, strips);
}

void attend_split(const QueryTile& tile, int index, float* scratch, float* state) {
  const unsigned denormals = flush_denormals();
  const int rows = tile.rows(), head_dim = tile.head_dim;
  float* sums = state + padded(rows);
  const Split split{tile, reinterpret_cast<const Operand*>(scratch), scratch + size_t(rows) * head_dim, state,
                    state + 2 * padded(rows)};
  for (int r = 0; r < rows; ++r) split.max[r] = kNoMax;
  __builtin_memset(split.lane_sums, 0, size_t(rows) * 16 * sizeof(float));
  __builtin_memset(split.out, 0, size_t(rows) * head_dim * sizeof(float));
  const int first = greatest(index * kSplitTokens, tile.first_seen() / kTileTokens * kTileTokens);
  const int end = least((index + 1) * kSplitTokens, tile.last_position() + 1);
  TileStrips next = find_strips(tile, first);
  for (int start = first; start < end; start += kTileTokens) {
    TileStrips strips = next;
    if (start + kTileTokens < end) look_ahead(strips, next = find_strips(tile, start + kTileTokens));
    for (int row = 0; row < rows; row += kPairRows)
      attend_up_to<kPairRows>(least(kPairRows, rows - row), split, row, start, strips);
  }
  for (int r = 0; r < rows; ++r) sums[r] = reduce_add(load(split.lane_sums + r * 16));
  restore_denormals(denormals);
}

void merge(float* state, const float* later, int rows, int head_dim) {
  float *max_a = state, *sum_a = state + padded(rows), *out_a = state + 2 * padded(rows);
  const float *max_b = later, *sum_b = later + padded(rows), *out_b = later + 2 * padded(rows);
  for (int r = 0; r < rows; ++r, out_a += head_dim, out_b += head_dim) {
    const F32 top = max(set1(max_a[r]), set1(max_b[r]));
    const F32 a = exp2(set1(max_a[r]) - top), b = exp2(set1(max_b[r]) - top);
    max_a[r] = max_b[r] > max_a[r] ? max_b[r] : max_a[r];
    sum_a[r] = reduce_max(fma(set1(sum_b[r]), b, set1(sum_a[r]) * a));
    for (int c = 0; c < head_dim; c += 16) store(out_a + c, fma(load(out_b + c), b, load(out_a + c) * a));
  }
}

void finish(const QueryTile& tile, const float* state, float* out, size_t out_stride) {
  const float* sum = state + padded(tile.rows());
  const float* weighted = state + 2 * padded(tile.rows());
  for (int t = 0; t < tile.num_tokens; ++t) {
    for (int h = 0; h < tile.group; ++h, ++sum, weighted += tile.head_dim) {
      float* head = out + t * out_stride + h * tile.head_dim;
      const F32 share = set1(1.0f / *sum);
      // + 0 turns a −0, which depends on how many zeros were added before, into 0.
      for (int c = 0; c < tile.head_dim; c += 16) store(head + c, load(weighted + c) * share + zero_f32());
    }
  }
}

}  // namespace

template <>
const AttentionKernels& kernel_table<AttentionKernels, kKernelIsa>() {
  static constexpr AttentionKernels table{write_token, load_queries, attend_split, merge, finish};
  return table;
}

}  // namespace ingot::cpu
