// What the kernels of linear share: where outputs go, and the walk over blocks of rows and panels. For kernel files.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ingot::cpu {

inline constexpr int kTileRows = 64;  // rows that share one pass over the weights

// A run of whole panels (tensor/weight_format.h) and where their outputs go.
struct PanelRun {
  const uint8_t* panels;
  int num_panels;
  int num_outputs;  // ≤ 16 · num_panels; the last panel may be partly padding
  float* y;         // [row][y_stride], at the run's first output
  ptrdiff_t y_stride;
  const float* bias = nullptr;  // of each output, at the run's first; null: none
};

}  // namespace ingot::cpu

#ifdef INGOT_KERNEL_ISA
#include "ingot/ops/cpu/simd.h"
#include "ingot/tensor/weight_format.h"

namespace ingot::cpu {
namespace {

// Calls body<n>(first) for blocks of n of the `count` items, then for halves of n on what is left.
template <int n, class Body>
INGOT_INLINE void for_blocks(int count, const Body& body, int first = 0) {
  for (; first + n <= count; first += n) body.template operator()<n>(first);
  if constexpr (n > 1) for_blocks<n / 2>(count, body, first);
}

// Writes totals [row][p panels][16] of the panels from `panel` on, with their bias, leaving padding out.
template <int p>
INGOT_INLINE void store_totals(const float* totals, int num_rows, int panel, const PanelRun& run) {
  for (int r = 0; r < num_rows; ++r) {
    for (int q = 0; q < p; ++q, totals += kPanelRows) {
      const int first = (panel + q) * kPanelRows, left = run.num_outputs - first;
      float* y = run.y + r * run.y_stride + first;
      F32 sum = load(totals);
      if (run.bias) sum = sum + (left >= kPanelRows ? load(run.bias + first) : load_first(run.bias + first, left));
      left >= kPanelRows ? store(y, sum) : store_first(y, sum, left);
    }
  }
}

}  // namespace
}  // namespace ingot::cpu
#endif
