// The inner loops of linear on CPU for weights in f32, f16 and bf16: y = fma(x[k], float(w[k]), y), k ascending, for
// every number of rows and instruction set.
#pragma once

#include "ingot/ops/linear/panel_run.h"

namespace ingot::cpu {

struct DenseRows {
  const float* x;  // [num_rows][in_features]
  int num_rows;    // ≤ kTileRows
  int in_features;
};

struct DenseKernels {
  void (*f32)(const DenseRows& x, const PanelRun& run);
  void (*f16)(const DenseRows& x, const PanelRun& run);
  void (*bf16)(const DenseRows& x, const PanelRun& run);
};

}  // namespace ingot::cpu
