// Panels of dense weights times a tile of rows.
#include "ingot/ops/linear/dense_kernels.h"

#include <string.h>

namespace ingot::cpu {
namespace {

constexpr int kBlockRows = kKernelIsa == Isa::kAvx512 ? 8 : 4;
constexpr int kBlockPanels = kKernelIsa == Isa::kAvx512 ? 2 : 1;
constexpr int kSlice = 128;  // inputs whose weights stay in the first-level cache while the rows of a tile pass

template <WeightFormat format>
INGOT_INLINE F32 load_weights(const uint8_t* bytes) {
  if constexpr (format == WeightFormat::kF32) return load(reinterpret_cast<const float*>(bytes));
  if constexpr (format == WeightFormat::kF16) return load_f16(reinterpret_cast<const uint16_t*>(bytes));
  if constexpr (format == WeightFormat::kBf16) return load_bf16(reinterpret_cast<const uint16_t*>(bytes));
}

// Adds `count` inputs' products with n rows to their totals [row][panel][16].
template <WeightFormat format, int n, int p>
INGOT_INLINE void add_rows(const uint8_t* bytes, ptrdiff_t panel_bytes, const float* x, ptrdiff_t x_stride, int count,
                           float* totals) {
  F32 sums[n][p];
  for (int r = 0; r < n; ++r)
    for (int q = 0; q < p; ++q) sums[r][q] = load(totals + (p * r + q) * kPanelRows);
  for (int k = 0; k < count; ++k, bytes += block_bytes(format)) {
    F32 weights[p];
    for (int q = 0; q < p; ++q) weights[q] = load_weights<format>(bytes + q * panel_bytes);
#pragma GCC unroll 8
    for (int r = 0; r < n; ++r) {
      const F32 value = set1(x[r * x_stride + k]);
      for (int q = 0; q < p; ++q) sums[r][q] = fma(value, weights[q], sums[r][q]);
    }
  }
  for (int r = 0; r < n; ++r)
    for (int q = 0; q < p; ++q) store(totals + (p * r + q) * kPanelRows, sums[r][q]);
}

template <WeightFormat format>
void multiply(const DenseRows& x, const PanelRun& run) {
  const ptrdiff_t panel_bytes = ptrdiff_t{x.in_features} * block_bytes(format);
  alignas(64) float totals[kTileRows * kBlockPanels * kPanelRows];
  for_blocks<kBlockPanels>(run.num_panels, [&]<int p>(int panel) {
    memset(totals, 0, sizeof(float) * x.num_rows * p * kPanelRows);
    for (int first = 0; first < x.in_features; first += kSlice) {
      const int count = first + kSlice < x.in_features ? kSlice : x.in_features - first;
      const uint8_t* bytes = run.panels + panel * panel_bytes + ptrdiff_t{first} * block_bytes(format);
      for_blocks<kBlockRows>(x.num_rows, [&]<int n>(int row) {
        add_rows<format, n, p>(bytes, panel_bytes, x.x + ptrdiff_t{row} * x.in_features + first, x.in_features, count,
                               totals + kPanelRows * p * row);
      });
    }
    store_totals<p>(totals, x.num_rows, panel, run);
  });
}

}  // namespace

template <>
const DenseKernels& kernel_table<DenseKernels, kKernelIsa>() {
  static constexpr DenseKernels table{
      .f32 = multiply<WeightFormat::kF32>,
      .f16 = multiply<WeightFormat::kF16>,
      .bf16 = multiply<WeightFormat::kBf16>,
  };
  return table;
}

}  // namespace ingot::cpu
