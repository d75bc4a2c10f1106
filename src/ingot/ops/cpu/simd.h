// Vectors of 16 lanes for kernel files (see ops/cpu/isa.h): one AVX-512 register, two of AVX2, four of NEON, or an
// array.
//
// Every operation below gives the same bits on every instruction set: elementwise IEEE operations, exact integers, and
// reductions of floats in one fixed tree. The build never contracts a · b + c by itself; fma() is the only fused
// product. (x86 and ARM differ in the sign and payload of the NaNs they make, nothing else.)
//
//   F32, I32                            16 floats, 16 int32 (I32 also carries 32 int16 as pairs)
//   load, store, load_bytes (any type, 64 bytes as I32); load_first, store_first(…, n)   16 elements; the first n, the
//   other lanes read as 0 load_f16, load_bf16, store_f16, store_bf16   16 elements as uint16_t, converted (stores round
//   to nearest even) set1, zero_f32, zero_i32
//   + − · / on F32; + − & on I32; fma(a, b, c) = a · b + c rounded once; sqrt
//   max(a, b) = a > b ? a : b, min(a, b) = a < b ? a : b: b when either is NaN
//   select_greater(a, b, x, y)          a > b ? x : y by lane (y when either is NaN)
//   round_to_i32 (to nearest even, |a| < 2²²), to_f32, bits_of, from_bits
//   shift_left<n>, shift_right<n> (of int32, zeros come in), shift_right_16<n> (of int16, zeros come in)
//   dot_i16(acc, a, b)                  acc + a₀ · b₀ + a₁ · b₁ over the two int16 of each lane
//   store_i16_swapped(p, v)             16 int32 as int16, the middle two of every four swapped: 0 2 1 3
//   reduce_add, reduce_max              of all lanes
//   prefetch(p)                         the line will be read soon, once
#pragma once

#include <cstddef>
#include <cstdint>

#include "ingot/ops/cpu/isa.h"

#define INGOT_INLINE inline __attribute__((always_inline))

namespace ingot::cpu {

constexpr Isa kKernelIsa = Isa::INGOT_KERNEL_ISA;

}  // namespace ingot::cpu

#if defined(INGOT_KERNEL_AVX512)
#include "ingot/ops/cpu/simd_avx512.h"
#elif defined(INGOT_KERNEL_AVX2)
#include "ingot/ops/cpu/simd_avx2.h"
#elif defined(INGOT_KERNEL_NEON)
#include "ingot/ops/cpu/simd_neon.h"
#else
#include "ingot/ops/cpu/simd_portable.h"
#endif
