// The vectors of ops/cpu/simd.h on AVX-512 (F, BW, VL, DQ, VNNI).
#pragma once

#include <immintrin.h>

namespace ingot::cpu {
namespace {

struct F32 {
  __m512 v;
};
struct I32 {
  __m512i v;
};

INGOT_INLINE __mmask16 first_lanes(int n) { return static_cast<__mmask16>((1u << n) - 1); }

INGOT_INLINE F32 load(const float* p) { return {_mm512_loadu_ps(p)}; }
INGOT_INLINE I32 load(const int32_t* p) { return {_mm512_loadu_si512(p)}; }
INGOT_INLINE I32 load_bytes(const void* p) { return {_mm512_loadu_si512(p)}; }
INGOT_INLINE F32 load_first(const float* p, int n) { return {_mm512_maskz_loadu_ps(first_lanes(n), p)}; }
INGOT_INLINE F32 load_f16(const uint16_t* p) {
  return {_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
}
INGOT_INLINE F32 load_bf16(const uint16_t* p) {
  const __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16))};
}
INGOT_INLINE void store(float* p, F32 a) { _mm512_storeu_ps(p, a.v); }
INGOT_INLINE void store(int32_t* p, I32 a) { _mm512_storeu_si512(p, a.v); }
INGOT_INLINE void store_first(float* p, F32 a, int n) { _mm512_mask_storeu_ps(p, first_lanes(n), a.v); }
INGOT_INLINE void store_f16(uint16_t* p, F32 a) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtps_ph(a.v, _MM_FROUND_TO_NEAREST_INT));
}

INGOT_INLINE F32 set1(float a) { return {_mm512_set1_ps(a)}; }
INGOT_INLINE I32 set1(int32_t a) { return {_mm512_set1_epi32(a)}; }
INGOT_INLINE F32 zero_f32() { return {_mm512_setzero_ps()}; }
INGOT_INLINE I32 zero_i32() { return {_mm512_setzero_si512()}; }

INGOT_INLINE F32 operator+(F32 a, F32 b) { return {_mm512_add_ps(a.v, b.v)}; }
INGOT_INLINE F32 operator-(F32 a, F32 b) { return {_mm512_sub_ps(a.v, b.v)}; }
INGOT_INLINE F32 operator*(F32 a, F32 b) { return {_mm512_mul_ps(a.v, b.v)}; }
INGOT_INLINE F32 operator/(F32 a, F32 b) { return {_mm512_div_ps(a.v, b.v)}; }
INGOT_INLINE F32 fma(F32 a, F32 b, F32 c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
INGOT_INLINE F32 sqrt(F32 a) { return {_mm512_sqrt_ps(a.v)}; }
INGOT_INLINE F32 max(F32 a, F32 b) { return {_mm512_max_ps(a.v, b.v)}; }
INGOT_INLINE F32 min(F32 a, F32 b) { return {_mm512_min_ps(a.v, b.v)}; }
INGOT_INLINE F32 select_greater(F32 a, F32 b, F32 x, F32 y) {
  return {_mm512_mask_blend_ps(_mm512_cmp_ps_mask(a.v, b.v, _CMP_GT_OQ), y.v, x.v)};
}

INGOT_INLINE I32 operator+(I32 a, I32 b) { return {_mm512_add_epi32(a.v, b.v)}; }
INGOT_INLINE I32 operator-(I32 a, I32 b) { return {_mm512_sub_epi32(a.v, b.v)}; }
INGOT_INLINE I32 operator&(I32 a, I32 b) { return {_mm512_and_si512(a.v, b.v)}; }
INGOT_INLINE I32 max(I32 a, I32 b) { return {_mm512_max_epi32(a.v, b.v)}; }
template <int n>
INGOT_INLINE I32 shift_left(I32 a) {
  return {_mm512_slli_epi32(a.v, n)};
}
template <int n>
INGOT_INLINE I32 shift_right(I32 a) {
  return {_mm512_srli_epi32(a.v, n)};
}
template <int n>
INGOT_INLINE I32 shift_right_16(I32 a) {
  return {_mm512_srli_epi16(a.v, n)};
}
INGOT_INLINE I32 dot_i16(I32 acc, I32 a, I32 b) { return {_mm512_dpwssd_epi32(acc.v, a.v, b.v)}; }

INGOT_INLINE I32 round_to_i32(F32 a) { return {_mm512_cvtps_epi32(a.v)}; }
INGOT_INLINE F32 to_f32(I32 a) { return {_mm512_cvtepi32_ps(a.v)}; }
INGOT_INLINE I32 bits_of(F32 a) { return {_mm512_castps_si512(a.v)}; }
INGOT_INLINE F32 from_bits(I32 a) { return {_mm512_castsi512_ps(a.v)}; }

// Bits, not _mm512_cvtneps_pbh: that one flushes denormals.
INGOT_INLINE void store_bf16(uint16_t* p, F32 a) {
  const __m512i bits = _mm512_castps_si512(a.v);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i rounded =
      _mm512_srli_epi32(_mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff))), 16);
  const __mmask16 nan = _mm512_cmp_ps_mask(a.v, a.v, _CMP_UNORD_Q);
  const __m512i half = _mm512_mask_blend_epi32(nan, rounded, _mm512_set1_epi32(0x7fc0));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(half));
}
INGOT_INLINE void store_i16_swapped(int16_t* p, I32 a) {
  const __m256i half = _mm512_cvtepi32_epi16(a.v);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm256_shufflehi_epi16(_mm256_shufflelo_epi16(half, 0xd8), 0xd8));
}

// Lane i with i + 8, then i + 4, i + 2, i + 1: the tree of every instruction set.
INGOT_INLINE float reduce_add(F32 a) {
  const __m256 b = _mm256_add_ps(_mm512_castps512_ps256(a.v), _mm512_extractf32x8_ps(a.v, 1));
  const __m128 c = _mm_add_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
  const __m128 d = _mm_add_ps(c, _mm_movehl_ps(c, c));
  return _mm_cvtss_f32(_mm_add_ss(d, _mm_movehdup_ps(d)));
}
INGOT_INLINE float reduce_max(F32 a) {
  const __m256 b = _mm256_max_ps(_mm512_castps512_ps256(a.v), _mm512_extractf32x8_ps(a.v, 1));
  const __m128 c = _mm_max_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
  const __m128 d = _mm_max_ps(c, _mm_movehl_ps(c, c));
  return _mm_cvtss_f32(_mm_max_ss(d, _mm_movehdup_ps(d)));
}
INGOT_INLINE int32_t reduce_add(I32 a) { return _mm512_reduce_add_epi32(a.v); }
INGOT_INLINE int32_t reduce_max(I32 a) { return _mm512_reduce_max_epi32(a.v); }

INGOT_INLINE void prefetch(const void* p) { _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0); }

}  // namespace
}  // namespace ingot::cpu
