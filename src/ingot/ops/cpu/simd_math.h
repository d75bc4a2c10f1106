// Elementary functions on the vectors of ops/cpu/simd.h, the same bits on every instruction set.
#pragma once

#include "ingot/ops/cpu/simd.h"

namespace ingot::cpu {
namespace {

// e^x with a relative error below 2^-22; 0 below −86.6 (no denormals), infinity above 88.72, NaN for NaN.
// x = n · ln 2 + r with |r| ≤ ln 2 / 2, ln 2 in two parts; e^r by its Taylor polynomial of degree 7.
INGOT_INLINE F32 exp(F32 x) {
  const F32 least = set1(-86.6f), most = set1(88.72f);
  const F32 bounded = min(most, max(least, x));  // NaN passes: it is the second operand
  const I32 n = round_to_i32(bounded * set1(1.44269504f));
  const F32 r = fma(to_f32(n), set1(1.90465430e-9f), fma(to_f32(n), set1(-0.693147182f), bounded));
  F32 p = set1(1.98412698e-4f);
  for (float coefficient : {1.38888889e-3f, 8.33333333e-3f, 4.16666667e-2f, 0.166666667f, 0.5f, 1.0f, 1.0f})
    p = fma(p, r, set1(coefficient));
  // 2^n as 2 · 2^(n − 1), because 2^128 is no float.
  const F32 power = from_bits(shift_left<23>(n + set1(126)));
  const F32 y = p * set1(2.0f) * power;
  return select_greater(x, most, set1(__builtin_inff()), select_greater(least, x, zero_f32(), y));
}

}  // namespace
}  // namespace ingot::cpu
