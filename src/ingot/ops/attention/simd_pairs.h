// Dot products of bfloat16 pairs in 16 lanes, for attention's kernels (beside ops/cpu/simd.h).
//
//   Operand         how the other side of a product is kept, bfloat16 in value: as such where the processor multiplies
//                   pairs of it, else in a float
//   load_pairs      16 pairs of bfloat16; broadcast_pair: two operands in every lane
//   dot(acc, a, b)  (acc + a₁ · b₁) + a₀ · b₀ by lane; the products are exact, the sums rounded to nearest even
//   store_operands  16 floats, rounded; returns them as they were kept
//   kPairRows × kPairColumns accumulators fit the registers
//   flush_denormals, restore_denormals   between them x86 flushes denormal operands and results to 0, as vdpbf16ps
//                   always does: else adding 0 · x could change a sum
#pragma once

#include "ingot/ops/cpu/simd.h"

namespace ingot::cpu {
namespace {

#if defined(INGOT_KERNEL_AVX512)

using Operand = uint16_t;
constexpr int kPairRows = 6, kPairColumns = 4;

struct Pairs {
  __m512i v;
};

INGOT_INLINE Pairs load_pairs(const uint16_t* p) { return {_mm512_loadu_si512(p)}; }
INGOT_INLINE Pairs broadcast_pair(const Operand* p) {
  int32_t pair;
  __builtin_memcpy(&pair, p, sizeof pair);
  return {_mm512_set1_epi32(pair)};
}
INGOT_INLINE F32 dot(F32 acc, Pairs a, Pairs b) { return {_mm512_dpbf16_ps(acc.v, (__m512bh)a.v, (__m512bh)b.v)}; }
INGOT_INLINE F32 store_operands(Operand* p, F32 x) {
  const __m256i rounded = (__m256i)_mm512_cvtneps_pbh(x.v);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), rounded);
  return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(rounded), 16))};
}

#else

using Operand = float;
constexpr int kPairRows = 4, kPairColumns = 1;

struct Pairs {
  F32 even, odd;
};

INGOT_INLINE Pairs load_pairs(const uint16_t* p) {
  const I32 both = load_bytes(p);
  return {from_bits(shift_left<16>(both)), from_bits(both & set1((int32_t)0xffff0000))};
}
INGOT_INLINE Pairs broadcast_pair(const Operand* p) { return {set1(p[0]), set1(p[1])}; }
INGOT_INLINE F32 dot(F32 acc, Pairs a, Pairs b) {
#if defined(INGOT_KERNEL_AVX2) || defined(INGOT_KERNEL_NEON)
  return fma(a.even, b.even, fma(a.odd, b.odd, acc));
#else
  return acc + a.odd * b.odd + a.even * b.even;  // the same, since products are exact; fma() would be a call a lane
#endif
}
INGOT_INLINE F32 store_operands(Operand* p, F32 x) {
  uint16_t rounded[16];
  store_bf16(rounded, x);
  const F32 kept = load_bf16(rounded);
  store(p, kept);
  return kept;
}

#endif

#if defined(INGOT_KERNEL_AVX512) || defined(INGOT_KERNEL_AVX2)
INGOT_INLINE unsigned flush_denormals() {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);
  return before;
}
INGOT_INLINE void restore_denormals(unsigned before) { _mm_setcsr(before); }
#else
INGOT_INLINE unsigned flush_denormals() { return 0; }
INGOT_INLINE void restore_denormals(unsigned) {}
#endif

}  // namespace
}  // namespace ingot::cpu
