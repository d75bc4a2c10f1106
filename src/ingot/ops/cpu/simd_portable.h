// The vectors of ops/cpu/simd.h in the compilers' generic vectors (GCC and Clang on any processor).
#pragma once

#include <string.h>

namespace ingot::cpu {
namespace {

typedef float Floats __attribute__((vector_size(64)));
typedef int32_t Ints __attribute__((vector_size(64)));
typedef uint32_t Words __attribute__((vector_size(64)));
typedef uint16_t Halves __attribute__((vector_size(32)));
typedef uint16_t Shorts __attribute__((vector_size(64)));

struct F32 {
  Floats v;
};
struct I32 {
  Ints v;
};

template <class V>
INGOT_INLINE V read(const void* p) {
  V v;
  memcpy(&v, p, sizeof v);
  return v;
}

INGOT_INLINE F32 load(const float* p) { return {read<Floats>(p)}; }
INGOT_INLINE I32 load(const int32_t* p) { return {read<Ints>(p)}; }
INGOT_INLINE I32 load_bytes(const void* p) { return {read<Ints>(p)}; }
INGOT_INLINE F32 load_first(const float* p, int n) {
  F32 a{};
  for (int i = 0; i < n; ++i) a.v[i] = p[i];
  return a;
}
INGOT_INLINE Words widen(const uint16_t* p) { return __builtin_convertvector(read<Halves>(p), Words); }
// Through a product by 2^112, exact for normal and denormal halves; infinity and NaN get their exponent back.
INGOT_INLINE F32 load_f16(const uint16_t* p) {
  const Words half = widen(p), magnitude = (half & 0x7fff) << 13;
  const Words scaled = (Words)((Floats)magnitude * 0x1p112f);
  const Words special = magnitude >= 0x0f800000 ? magnitude | 0x7f800000 : scaled;
  return {(Floats)(special | (half & 0x8000) << 16)};
}
INGOT_INLINE F32 load_bf16(const uint16_t* p) { return {(Floats)(widen(p) << 16)}; }
INGOT_INLINE void store(float* p, F32 a) { memcpy(p, &a, sizeof a); }
INGOT_INLINE void store(int32_t* p, I32 a) { memcpy(p, &a, sizeof a); }
INGOT_INLINE void store_first(float* p, F32 a, int n) {
  for (int i = 0; i < n; ++i) p[i] = a.v[i];
}
INGOT_INLINE void store_narrow(uint16_t* p, Words a) {
  const Halves half = __builtin_convertvector(a, Halves);
  memcpy(p, &half, sizeof half);
}
// Denormal halves are rounded by adding 0.5, whose last bit weighs 2^-24.
INGOT_INLINE void store_f16(uint16_t* p, F32 a) {
  const Words bits = (Words)a.v, magnitude = bits & 0x7fffffff;
  const Words normal = (magnitude + 0xc8000fffu + (magnitude >> 13 & 1)) >> 13;
  const Words denormal = (Words)((Floats)magnitude + 0.5f) - 0x3f000000u;
  const Words infinity = magnitude > 0x7f800000 ? Words{} + 0x7e00 : Words{} + 0x7c00;
  const Words finite = magnitude < 0x38800000 ? denormal : normal;
  store_narrow(p, (magnitude >= 0x47800000 ? infinity : finite) | (bits >> 16 & 0x8000));
}
INGOT_INLINE void store_bf16(uint16_t* p, F32 a) {
  const Words bits = (Words)a.v;
  const Words rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  store_narrow(p, (bits & 0x7fffffff) > 0x7f800000 ? Words{} + 0x7fc0 : rounded);
}

INGOT_INLINE F32 set1(float a) { return {Floats{} + a}; }
INGOT_INLINE I32 set1(int32_t a) { return {Ints{} + a}; }
INGOT_INLINE F32 zero_f32() { return {Floats{}}; }
INGOT_INLINE I32 zero_i32() { return {Ints{}}; }

INGOT_INLINE F32 operator+(F32 a, F32 b) { return {a.v + b.v}; }
INGOT_INLINE F32 operator-(F32 a, F32 b) { return {a.v - b.v}; }
INGOT_INLINE F32 operator*(F32 a, F32 b) { return {a.v * b.v}; }
INGOT_INLINE F32 operator/(F32 a, F32 b) { return {a.v / b.v}; }
INGOT_INLINE F32 fma(F32 a, F32 b, F32 c) {
  for (int i = 0; i < 16; ++i) c.v[i] = __builtin_fmaf(a.v[i], b.v[i], c.v[i]);
  return c;
}
INGOT_INLINE F32 sqrt(F32 a) {
  for (int i = 0; i < 16; ++i) a.v[i] = __builtin_sqrtf(a.v[i]);
  return a;
}
INGOT_INLINE F32 max(F32 a, F32 b) { return {a.v > b.v ? a.v : b.v}; }
INGOT_INLINE F32 min(F32 a, F32 b) { return {a.v < b.v ? a.v : b.v}; }
INGOT_INLINE F32 select_greater(F32 a, F32 b, F32 x, F32 y) { return {a.v > b.v ? x.v : y.v}; }

INGOT_INLINE I32 operator+(I32 a, I32 b) { return {(Ints)((Words)a.v + (Words)b.v)}; }
INGOT_INLINE I32 operator-(I32 a, I32 b) { return {(Ints)((Words)a.v - (Words)b.v)}; }
INGOT_INLINE I32 operator&(I32 a, I32 b) { return {a.v & b.v}; }
INGOT_INLINE I32 max(I32 a, I32 b) { return {a.v > b.v ? a.v : b.v}; }
template <int n>
INGOT_INLINE I32 shift_left(I32 a) {
  return {(Ints)((Words)a.v << n)};
}
template <int n>
INGOT_INLINE I32 shift_right(I32 a) {
  return {(Ints)((Words)a.v >> n)};
}
template <int n>
INGOT_INLINE I32 shift_right_16(I32 a) {
  return {(Ints)((Shorts)a.v >> n)};
}
INGOT_INLINE I32 dot_i16(I32 acc, I32 a, I32 b) {
  const Ints a0 = (Ints)((Words)a.v << 16) >> 16, b0 = (Ints)((Words)b.v << 16) >> 16;
  return {acc.v + a0 * b0 + (a.v >> 16) * (b.v >> 16)};
}

// 1.5 · 2^23 leaves the integer in the low bits of the sum.
INGOT_INLINE I32 round_to_i32(F32 a) { return {(Ints)(a.v + 0x1.8p23f) - 0x4b400000}; }
INGOT_INLINE F32 to_f32(I32 a) { return {__builtin_convertvector(a.v, Floats)}; }
INGOT_INLINE I32 bits_of(F32 a) { return {(Ints)a.v}; }
INGOT_INLINE F32 from_bits(I32 a) { return {(Floats)a.v}; }

INGOT_INLINE void store_i16_swapped(int16_t* p, I32 a) {
  constexpr int kFrom[4] = {0, 2, 1, 3};
  for (int i = 0; i < 16; ++i) p[i] = (int16_t)a.v[(i & ~3) + kFrom[i & 3]];
}

// Lane i with i + 8, then i + 4, i + 2, i + 1: the tree of every instruction set.
INGOT_INLINE float reduce_add(F32 a) {
  for (int n = 8; n > 0; n /= 2)
    for (int i = 0; i < n; ++i) a.v[i] = a.v[i] + a.v[i + n];
  return a.v[0];
}
INGOT_INLINE float reduce_max(F32 a) {
  for (int n = 8; n > 0; n /= 2)
    for (int i = 0; i < n; ++i) a.v[i] = a.v[i] > a.v[i + n] ? a.v[i] : a.v[i + n];
  return a.v[0];
}
INGOT_INLINE int32_t reduce_add(I32 a) {
  uint32_t sum = 0;
  for (int i = 0; i < 16; ++i) sum += (uint32_t)a.v[i];
  return (int32_t)sum;
}
INGOT_INLINE int32_t reduce_max(I32 a) {
  int32_t best = a.v[0];
  for (int i = 1; i < 16; ++i) best = a.v[i] > best ? a.v[i] : best;
  return best;
}

INGOT_INLINE void prefetch(const void* p) { __builtin_prefetch(p); }

}  // namespace
}  // namespace ingot::cpu
