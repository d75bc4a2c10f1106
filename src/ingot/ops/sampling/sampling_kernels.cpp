// Passes over one row of logits. What a lane yields depends on its element alone, so a row gathered into a list of
// candidates draws the same token as the row itself.
#include "ingot/ops/sampling/sampling_kernels.h"

#include "ingot/ops/cpu/simd.h"
#include "ingot/ops/cpu/simd_math.h"
#include "ingot/ops/sampling/simd_hash.h"

namespace ingot::cpu {
namespace {

const int32_t kIota[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// x[i …] with `filler` past the end.
INGOT_INLINE F32 load_tail(const float* x, int i, int n, float filler) {
  if (n - i >= 16) return load(x + i);
  const F32 inside = to_f32(set1(n - i) - load(kIota));  // > 0 for lanes before the end
  return select_greater(inside, zero_f32(), load_first(x + i, n - i), set1(filler));
}

void chunk_max(const float* x, int n, float* maxima) {
  const F32 none = set1(-__builtin_inff());
  for (int start = 0; start < n; start += kChunk) {
    const int end = start + kChunk < n ? start + kChunk : n;
    F32 best = none;
    for (int i = start; i < end; i += 16) best = max(load_tail(x, i, end, -__builtin_inff()), best);
    *maxima++ = reduce_max(best);
  }
}

void exp_row(const float* x, int n, const Softening& how, float* e, const ChunkFigures& chunks) {
  float *maxima = chunks.maxima, *sums = chunks.sums;
  for (int start = 0; start < n; start += kChunk) {
    const int end = start + kChunk < n ? start + kChunk : n;
    F32 best = zero_f32(), sum = zero_f32();
    for (int i = start; i < end; i += 16) {
      const F32 y = load_tail(x, i, end, -__builtin_inff()) / set1(how.temperature);
      const F32 all = exp(y - set1(how.top));
      const F32 kept = select_greater(set1(how.min_p), all, zero_f32(), all);
      if (end - i >= 16) {
        store(e + i, kept);
      } else {
        store_first(e + i, kept, end - i);
      }
      best = max(kept, best);
      sum = sum + kept;
    }
    *maxima++ = reduce_max(best);
    *sums++ = reduce_add(sum);
  }
}

int count_at_least(const float* x, int n, float value) {
  F32 counts = zero_f32();  // exact: a lane counts up to n / 16 < 2^24
  int i = 0;
  for (; i + 16 <= n; i += 16) counts = counts + select_greater(set1(value), load(x + i), zero_f32(), set1(1.0f));
  int count = reduce_add(round_to_i32(counts));
  for (; i < n; ++i) count += !(value > x[i]);
  return count;
}

// ln u for normal u > 0: u = 2^k · m, m in [√½, √2), by the polynomial of Cephes' logf.
INGOT_INLINE F32 log(F32 u) {
  const int32_t root_half = 0x3f3504f3, one = 0x3f800000;
  const I32 bits = bits_of(u) + set1(one - root_half);
  const F32 k = to_f32(shift_right<23>(bits) - set1(127));
  const F32 f = from_bits((bits & set1(0x7fffff)) + set1(root_half)) - set1(1.0f);
  F32 p = set1(7.0376836292e-2f);
  for (float coefficient : {-1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f, 1.4249322787e-1f, -1.6668057665e-1f,
                            2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f})
    p = fma(p, f, set1(coefficient));
  const F32 square = f * f;
  const F32 low = fma(k, set1(-2.12194440e-4f), fma(square, set1(-0.5f), p * f * square));
  return fma(k, set1(0.693359375f), f + low);
}

INGOT_INLINE I32 mix(I32 x) {
  x = x ^ shift_right<16>(x);
  x = x * set1(0x7feb352d);
  x = x ^ shift_right<15>(x);
  x = x * set1((int32_t)0x846ca68b);
  return x ^ shift_right<16>(x);
}

INGOT_INLINE F32 noise(I32 id, I32 key_low, I32 key_high) {
  const I32 hash = mix(mix(id * set1((int32_t)0x9e3779b9) + key_low) ^ key_high);
  const F32 u = (to_f32(shift_right<9>(hash)) + set1(0.5f)) * set1(0x1p-23f);
  return zero_f32() - log(u);
}

int draw(const float* e, const int32_t* ids, int n, uint32_t key_low, uint32_t key_high) {
  const I32 low = set1((int32_t)key_low), high = set1((int32_t)key_high), iota = load(kIota);
  F32 best = zero_f32(), best_index = from_bits(set1(-1));
  for (int i = 0; i < n; i += 16) {
    const I32 index = iota + set1(i);
    const F32 score = load_tail(e, i, n, 0.0f) / noise(ids ? load(ids + i) : index, low, high);
    best_index = select_greater(score, best, from_bits(index), best_index);
    best = select_greater(score, best, score, best);
  }
  float scores[16];
  int32_t indices[16];
  store(scores, best);
  store(indices, bits_of(best_index));
  int winner = 0;
  for (int lane = 1; lane < 16; ++lane) {
    const bool better = scores[lane] > scores[winner];
    const bool equal_before = scores[lane] == scores[winner] && indices[lane] < indices[winner];
    if (better || equal_before) winner = lane;
  }
  return scores[winner] > 0.0f ? indices[winner] : -1;
}

}  // namespace

template <>
const SamplingKernels& kernel_table<SamplingKernels, kKernelIsa>() {
  static constexpr SamplingKernels table{chunk_max, exp_row, count_at_least, draw};
  return table;
}

}  // namespace ingot::cpu
