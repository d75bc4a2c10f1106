// Rotary positions: the angles of a step. Attention applies them.
#pragma once

#include <vector>

#include "ingot/tensor/array.h"

namespace ingot {

// θ^(−2i / dims) for i < dims / 2, computed in double.
std::vector<float> default_inv_freq(double theta, int dims);

// What cosines and sines at position p are multiplied by: factor · (1 + growth · ln(1 + ⌊p / period⌋)).
struct RopeScale {
  float factor = 1.0f;
  float growth = 0.0f;
  int period = 1;
};

// positions[T] int32, inv_freq[D/2] float32 → float32[T, 2, D/2]: the cosines, then the sines, of float32(position) ·
// inv_freq, the product rounded to float32 as transformers does, and scaled. Computed once a step.
array rope_table(const array& positions, const array& inv_freq, const RopeScale& scale = {});

namespace reference {
array rope_table(const array& positions, const array& inv_freq, const RopeScale& scale = {});
}

}  // namespace ingot
