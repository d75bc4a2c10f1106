// Norms of one row. Four accumulators of 16 lanes take turns, so the order of a row's sum depends on its width alone.
#include "ingot/ops/norm/norm_kernels.h"

#include "ingot/ops/cpu/simd.h"

namespace ingot::cpu {
namespace {

struct SumOfSquares {
  F32 sum[4] = {zero_f32(), zero_f32(), zero_f32(), zero_f32()};

  INGOT_INLINE void add(int i, F32 x) { sum[i / 16 % 4] = fma(x, x, sum[i / 16 % 4]); }
  INGOT_INLINE float total() const { return reduce_add((sum[0] + sum[1]) + (sum[2] + sum[3])); }
};

// Calls body(i, n) for each 16 columns i, n < 16 only at the end of the row.
template <class Body>
INGOT_INLINE void for_lanes(int width, Body body) {
  int i = 0;
  for (; i + 64 <= width; i += 64) {
    body(i, 16);
    body(i + 16, 16);
    body(i + 32, 16);
    body(i + 48, 16);
  }
  for (; i < width; i += 16) body(i, width - i < 16 ? width - i : 16);
}

INGOT_INLINE F32 load_lanes(const float* p, int n) { return n == 16 ? load(p) : load_first(p, n); }
INGOT_INLINE void store_lanes(float* p, F32 a, int n) { n == 16 ? store(p, a) : store_first(p, a, n); }

INGOT_INLINE void scale_row(const float* x, float square_sum, const NormScale& scale, float* y) {
  const F32 factor = set1(1.0f) / sqrt(set1(square_sum / float(scale.width) + scale.eps));
  for_lanes(scale.width, [&](int i, int n) __attribute__((always_inline)) {
    store_lanes(y + i, load_lanes(x + i, n) * factor * load_lanes(scale.weight + i, n), n);
  });
}

void rms_norm(const float* x, const NormScale& scale, float* y) {
  SumOfSquares squares;
  for_lanes(scale.width, [&](int i, int n) __attribute__((always_inline)) { squares.add(i, load_lanes(x + i, n)); });
  scale_row(x, squares.total(), scale, y);
}

void add_rms_norm(const float* x, const float* residual, const NormScale& scale, float* sum, float* y) {
  SumOfSquares squares;
  for_lanes(scale.width, [&](int i, int n) __attribute__((always_inline)) {
    const F32 s = load_lanes(residual + i, n) + load_lanes(x + i, n);
    store_lanes(sum + i, s, n);
    squares.add(i, s);
  });
  scale_row(sum, squares.total(), scale, y);
}

}  // namespace

template <>
const NormKernels& kernel_table<NormKernels, kKernelIsa>() {
  static constexpr NormKernels table{rms_norm, add_rms_norm};
  return table;
}

}  // namespace ingot::cpu
