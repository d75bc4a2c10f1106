// Rotary positions: the angles of a step. Attention applies them.
#pragma once

#include <vector>

#include "ingot/tensor/array.h"

namespace ingot {

// θ^(−2i / dims) for i < dims / 2, as transformers' default rope computes it (float32).
std::vector<float> default_inv_freq(float theta, int dims);

// positions[T] int32, inv_freq[D/2] float32 → float32[T, 2, D/2]: the cosines, then the sines, of float32(position) ·
// inv_freq, the product rounded to float32 as transformers does. Computed once a step.
array rope_table(const array& positions, const array& inv_freq);

namespace reference {
array rope_table(const array& positions, const array& inv_freq);
}

}  // namespace ingot
