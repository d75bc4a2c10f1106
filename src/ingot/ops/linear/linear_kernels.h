// The inner loops of linear on CPU, over panels of packed weights (tensor/weight_format.h).
//
// Quantised formats. Inputs are quantised by row and group of 32 to 16-bit integers: scale = max |x| / 32767,
// x₁₆ = round(x / scale). A group's dot product with the codes is then exact in int32, whatever the order, and
//   y[out] = Σ_groups, ascending, each step one fma: y = fma(scale, t, y) with
//   t = d · float(Σ (q − zero) · x₁₆), and for Q4_1 t = fma(m, float(Σ x₁₆), d · float(Σ q · x₁₆)).
// Dense formats: y = fma(x[k], float(w[k]), y), k ascending.
// Each output has this one order for every number of rows and instruction set, so its bits depend on its row alone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ingot::cpu {

inline constexpr int kTileRows = 64;  // rows that share one pass over the weights

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

// A run of whole panels and where their outputs go.
struct PanelRun {
  const uint8_t* panels;
  int num_panels;
  int num_outputs;  // ≤ 16 · num_panels; the last panel may be partly padding
  float* y;         // [row][y_stride], at the run's first output
  ptrdiff_t y_stride;
};

struct DenseRows {
  const float* x;  // [num_rows][in_features]
  int num_rows;
  int in_features;
};

struct LinearKernels {
  // Fills rows [first, first + count) of the tile from x[count][32 · num_groups].
  void (*quantise)(const float* x, int first, int count, int zero_point, const QuantisedTile& tile);

  void (*q4_0)(const QuantisedTile& x, const PanelRun& run);
  void (*q4_1)(const QuantisedTile& x, const PanelRun& run);
  void (*q8_0)(const QuantisedTile& x, const PanelRun& run);

  void (*f32)(const DenseRows& x, const PanelRun& run);
  void (*f16)(const DenseRows& x, const PanelRun& run);
  void (*bf16)(const DenseRows& x, const PanelRun& run);
};

}  // namespace ingot::cpu
