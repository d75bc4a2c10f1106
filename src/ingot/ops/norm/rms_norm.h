// Root-mean-square norm, alone or behind the residual sum. All float32; a row's sum of squares has one fixed order,
// whatever the number of rows.
#pragma once

#include "ingot/tensor/array.h"

namespace ingot {

// x[T, H] · weight[H] / √(mean(x²) + eps), row by row.
array rms_norm(const array& x, const array& weight, float eps);

struct Normed {
  array normed;    // [T, H] rms_norm of the new residual
  array residual;  // [T, H] residual + x
};

// The sum that ends one half of a block and the norm that opens the next, in one node.
Normed add_rms_norm(const array& x, const array& residual, const array& weight, float eps);

}  // namespace ingot
