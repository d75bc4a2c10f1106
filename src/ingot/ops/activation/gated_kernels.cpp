// The gate of one row.
#include "ingot/ops/activation/gated_kernels.h"

#include "ingot/ops/cpu/simd.h"
#include "ingot/ops/cpu/simd_math.h"

namespace ingot::cpu {
namespace {

INGOT_INLINE F32 silu_mul_lanes(F32 gate, F32 up) { return gate / (set1(1.0f) + exp(zero_f32() - gate)) * up; }

void silu_mul(const float* gate, const float* up, int n, float* y) {
  int i = 0;
  for (; i + 16 <= n; i += 16) store(y + i, silu_mul_lanes(load(gate + i), load(up + i)));
  if (i < n) store_first(y + i, silu_mul_lanes(load_first(gate + i, n - i), load_first(up + i, n - i)), n - i);
}

}  // namespace

template <>
const GatedKernels& kernel_table<GatedKernels, kKernelIsa>() {
  static constexpr GatedKernels table{silu_mul};
  return table;
}

}  // namespace ingot::cpu
