// A weight matrix as the engine keeps it, in the layout of tensor/weight_format.h.
#pragma once

#include <cstddef>

#include "ingot/tensor/array.h"
#include "ingot/tensor/weight_format.h"

namespace ingot {

struct PackedWeight {
  WeightFormat format;
  int out_features = 0;
  int in_features = 0;  // a multiple of 32 for quantised formats
  array data;           // uint8[num_panels · blocks a panel · block_bytes]

  int num_panels() const { return (out_features + kPanelRows - 1) / kPanelRows; }
  int blocks_per_panel() const { return is_quantised(format) ? in_features / kGroupSize : in_features; }
  size_t panel_bytes() const { return size_t(blocks_per_panel()) * block_bytes(format); }
};

}  // namespace ingot
