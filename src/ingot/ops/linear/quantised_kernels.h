// The inner loops of linear on CPU for quantised weights.
//
// Inputs are quantised by row and group of 32 to 16-bit integers: scale = max |x| / most, x₁₆ = round(x / scale), with
// most = 32767, or 8191 where the weights' codes have 14 bits, so that no sum overflows. A
// group's dot product with the codes is then exact in int32, whatever the order, and over the groups, ascending,
//   y = fma(scale, t, y), with t = d · float(Σ (q − zero) · x₁₆), for Q4_1 t = fma(m, float(Σ x₁₆), d · float(Σ q ·
//   x₁₆)).
// Each output has this one order for every number of rows and instruction set: its bits depend on its row alone.
#pragma once

#include <cstdint>

#include "ingot/ops/linear/panel_run.h"
#include "ingot/tensor/weight_format.h"

namespace ingot::cpu {

// Up to kTileRows quantised rows, by [group][row]. The middle two of every four values are swapped (0 2 1 3): pairs as
// masks and shifts of packed codes yield them.
struct QuantisedTile {
  int num_rows;
  int num_groups;
  int16_t* values;   // [group][row][32]
  float* scales;     // [group][row]; NaN when a value of the group is not finite
  float* sums;       // [group][row]: Σ x₁₆
  int32_t* offsets;  // [group][row]: −zero · Σ x₁₆
};

struct QuantisedKernels {
  // Fills rows [first, first + count) of the tile from x[count][32 · num_groups], for weights of this format.
  void (*quantise)(const float* x, int first, int count, WeightFormat format, const QuantisedTile& tile);

  void (*q4_0)(const QuantisedTile& x, const PanelRun& run);
  void (*q4_1)(const QuantisedTile& x, const PanelRun& run);
  void (*q8_0)(const QuantisedTile& x, const PanelRun& run);
  void (*i16)(const QuantisedTile& x, const PanelRun& run);
};

}  // namespace ingot::cpu
