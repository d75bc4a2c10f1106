// The vectors of ops/cpu/simd.h on NEON (AArch64): four registers each.
#pragma once

#include <arm_neon.h>

namespace ingot::cpu {
namespace {

struct F32 {
  float32x4_t v[4];
};
struct I32 {
  int32x4_t v[4];
};

// The same operation on each of the four registers.
template <class Op>
INGOT_INLINE F32 floats(Op op) {
  return {{op(0), op(1), op(2), op(3)}};
}
template <class Op>
INGOT_INLINE I32 ints(Op op) {
  return {{op(0), op(1), op(2), op(3)}};
}

INGOT_INLINE F32 load(const float* p) {
  return floats([=](int i) { return vld1q_f32(p + 4 * i); });
}
INGOT_INLINE I32 load(const int32_t* p) {
  return ints([=](int i) { return vld1q_s32(p + 4 * i); });
}
INGOT_INLINE I32 load_bytes(const void* p) {
  return ints([=](int i) { return vreinterpretq_s32_u8(vld1q_u8(static_cast<const uint8_t*>(p) + 16 * i)); });
}
INGOT_INLINE F32 load_first(const float* p, int n) {
  float lanes[16] = {};
  for (int i = 0; i < n; ++i) lanes[i] = p[i];
  return load(lanes);
}
INGOT_INLINE F32 load_f16(const uint16_t* p) {
  return floats([=](int i) { return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p + 4 * i))); });
}
INGOT_INLINE F32 load_bf16(const uint16_t* p) {
  return floats([=](int i) { return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p + 4 * i), 16)); });
}
INGOT_INLINE void store(float* p, F32 a) {
  for (int i = 0; i < 4; ++i) vst1q_f32(p + 4 * i, a.v[i]);
}
INGOT_INLINE void store(int32_t* p, I32 a) {
  for (int i = 0; i < 4; ++i) vst1q_s32(p + 4 * i, a.v[i]);
}
INGOT_INLINE void store_first(float* p, F32 a, int n) {
  float lanes[16];
  store(lanes, a);
  for (int i = 0; i < n; ++i) p[i] = lanes[i];
}
INGOT_INLINE void store_f16(uint16_t* p, F32 a) {
  for (int i = 0; i < 4; ++i) vst1_u16(p + 4 * i, vreinterpret_u16_f16(vcvt_f16_f32(a.v[i])));
}
INGOT_INLINE void store_bf16(uint16_t* p, F32 a) {
  for (int i = 0; i < 4; ++i) {
    const uint32x4_t bits = vreinterpretq_u32_f32(a.v[i]);
    const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    const uint32x4_t rounded = vaddq_u32(bits, vaddq_u32(odd, vdupq_n_u32(0x7fff)));
    const uint32x4_t is_number = vceqq_f32(a.v[i], a.v[i]);
    vst1_u16(p + 4 * i, vshrn_n_u32(vbslq_u32(is_number, rounded, vdupq_n_u32(0x7fc00000)), 16));
  }
}

INGOT_INLINE F32 set1(float a) {
  return floats([=](int) { return vdupq_n_f32(a); });
}
INGOT_INLINE I32 set1(int32_t a) {
  return ints([=](int) { return vdupq_n_s32(a); });
}
INGOT_INLINE F32 zero_f32() { return set1(0.0f); }
INGOT_INLINE I32 zero_i32() { return set1(int32_t{0}); }

INGOT_INLINE F32 operator+(F32 a, F32 b) {
  return floats([=](int i) { return vaddq_f32(a.v[i], b.v[i]); });
}
INGOT_INLINE F32 operator-(F32 a, F32 b) {
  return floats([=](int i) { return vsubq_f32(a.v[i], b.v[i]); });
}
INGOT_INLINE F32 operator*(F32 a, F32 b) {
  return floats([=](int i) { return vmulq_f32(a.v[i], b.v[i]); });
}
INGOT_INLINE F32 operator/(F32 a, F32 b) {
  return floats([=](int i) { return vdivq_f32(a.v[i], b.v[i]); });
}
INGOT_INLINE F32 fma(F32 a, F32 b, F32 c) {
  return floats([=](int i) { return vfmaq_f32(c.v[i], a.v[i], b.v[i]); });
}
INGOT_INLINE F32 sqrt(F32 a) {
  return floats([=](int i) { return vsqrtq_f32(a.v[i]); });
}
INGOT_INLINE F32 select_greater(F32 a, F32 b, F32 x, F32 y) {
  return floats([=](int i) { return vbslq_f32(vcgtq_f32(a.v[i], b.v[i]), x.v[i], y.v[i]); });
}
INGOT_INLINE F32 max(F32 a, F32 b) { return select_greater(a, b, a, b); }
INGOT_INLINE F32 min(F32 a, F32 b) { return select_greater(b, a, a, b); }

INGOT_INLINE I32 operator+(I32 a, I32 b) {
  return ints([=](int i) { return vaddq_s32(a.v[i], b.v[i]); });
}
INGOT_INLINE I32 operator-(I32 a, I32 b) {
  return ints([=](int i) { return vsubq_s32(a.v[i], b.v[i]); });
}
INGOT_INLINE I32 operator&(I32 a, I32 b) {
  return ints([=](int i) { return vandq_s32(a.v[i], b.v[i]); });
}
INGOT_INLINE I32 max(I32 a, I32 b) {
  return ints([=](int i) { return vmaxq_s32(a.v[i], b.v[i]); });
}
template <int n>
INGOT_INLINE I32 shift_left(I32 a) {
  return ints([=](int i) { return vshlq_n_s32(a.v[i], n); });
}
template <int n>
INGOT_INLINE I32 shift_right(I32 a) {
  return ints([=](int i) { return vreinterpretq_s32_u32(vshrq_n_u32(vreinterpretq_u32_s32(a.v[i]), n)); });
}
template <int n>
INGOT_INLINE I32 shift_right_16(I32 a) {
  return ints([=](int i) { return vreinterpretq_s32_u16(vshrq_n_u16(vreinterpretq_u16_s32(a.v[i]), n)); });
}
INGOT_INLINE I32 dot_i16(I32 acc, I32 a, I32 b) {
  return ints([=](int i) {
    const int16x8_t x = vreinterpretq_s16_s32(a.v[i]), y = vreinterpretq_s16_s32(b.v[i]);
    const int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(y)), high = vmull_high_s16(x, y);
    return vaddq_s32(acc.v[i], vpaddq_s32(low, high));
  });
}

INGOT_INLINE I32 round_to_i32(F32 a) {
  return ints([=](int i) { return vcvtnq_s32_f32(a.v[i]); });
}
INGOT_INLINE F32 to_f32(I32 a) {
  return floats([=](int i) { return vcvtq_f32_s32(a.v[i]); });
}
INGOT_INLINE I32 bits_of(F32 a) {
  return ints([=](int i) { return vreinterpretq_s32_f32(a.v[i]); });
}
INGOT_INLINE F32 from_bits(I32 a) {
  return floats([=](int i) { return vreinterpretq_f32_s32(a.v[i]); });
}

INGOT_INLINE void store_i16_swapped(int16_t* p, I32 a) {
  for (int i = 0; i < 4; ++i) {
    const int32x4_t swapped = vcopyq_laneq_s32(vcopyq_laneq_s32(a.v[i], 1, a.v[i], 2), 2, a.v[i], 1);
    vst1_s16(p + 4 * i, vmovn_s32(swapped));
  }
}

// Lane i with i + 8, then i + 4, i + 2, i + 1: the tree of every instruction set.
INGOT_INLINE float reduce_add(F32 a) {
  const float32x4_t c = vaddq_f32(vaddq_f32(a.v[0], a.v[2]), vaddq_f32(a.v[1], a.v[3]));
  const float32x2_t d = vadd_f32(vget_low_f32(c), vget_high_f32(c));
  return vget_lane_f32(d, 0) + vget_lane_f32(d, 1);
}
INGOT_INLINE float reduce_max(F32 a) {
  float lanes[16];
  store(lanes, a);
  for (int n = 8; n > 0; n /= 2)
    for (int i = 0; i < n; ++i) lanes[i] = lanes[i] > lanes[i + n] ? lanes[i] : lanes[i + n];
  return lanes[0];
}
INGOT_INLINE int32_t reduce_add(I32 a) {
  return vaddvq_s32(vaddq_s32(vaddq_s32(a.v[0], a.v[1]), vaddq_s32(a.v[2], a.v[3])));
}
INGOT_INLINE int32_t reduce_max(I32 a) {
  return vmaxvq_s32(vmaxq_s32(vmaxq_s32(a.v[0], a.v[1]), vmaxq_s32(a.v[2], a.v[3])));
}

INGOT_INLINE void prefetch(const void* p) { __builtin_prefetch(p); }

}  // namespace
}  // namespace ingot::cpu
