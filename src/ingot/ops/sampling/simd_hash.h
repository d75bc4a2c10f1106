// Wrapping products and exclusive or of 16 lanes, for hashes in kernel files (beside ops/cpu/simd.h).
#pragma once

#include "ingot/ops/cpu/simd.h"

namespace ingot::cpu {
namespace {

#if defined(INGOT_KERNEL_AVX512)
INGOT_INLINE I32 operator*(I32 a, I32 b) { return {_mm512_mullo_epi32(a.v, b.v)}; }
INGOT_INLINE I32 operator^(I32 a, I32 b) { return {_mm512_xor_si512(a.v, b.v)}; }
#elif defined(INGOT_KERNEL_AVX2)
INGOT_INLINE I32 operator*(I32 a, I32 b) { return {_mm256_mullo_epi32(a.lo, b.lo), _mm256_mullo_epi32(a.hi, b.hi)}; }
INGOT_INLINE I32 operator^(I32 a, I32 b) { return {_mm256_xor_si256(a.lo, b.lo), _mm256_xor_si256(a.hi, b.hi)}; }
#elif defined(INGOT_KERNEL_NEON)
INGOT_INLINE I32 operator*(I32 a, I32 b) {
  for (int i = 0; i < 4; ++i) a.v[i] = vmulq_s32(a.v[i], b.v[i]);
  return a;
}
INGOT_INLINE I32 operator^(I32 a, I32 b) {
  for (int i = 0; i < 4; ++i) a.v[i] = veorq_s32(a.v[i], b.v[i]);
  return a;
}
#else
INGOT_INLINE I32 operator*(I32 a, I32 b) { return {(Ints)((Words)a.v * (Words)b.v)}; }
INGOT_INLINE I32 operator^(I32 a, I32 b) { return {a.v ^ b.v}; }
#endif

}  // namespace
}  // namespace ingot::cpu
