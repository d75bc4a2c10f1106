// The gate of a gated MLP.
#pragma once

#include "ingot/tensor/array.h"

namespace ingot {

// gate_up[T, 2I] float32, the gate's columns first → silu(gate) · up, [T, I]; silu(x) = x / (1 + e^−x). An element's
// result depends on nothing but its two inputs.
array silu_mul(const array& gate_up);

namespace reference {
array silu_mul(const array& gate_up);
}

}  // namespace ingot
