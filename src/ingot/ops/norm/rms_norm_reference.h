// The norms by MLX operations: the oracle of the kernels, right on any device.
#pragma once

#include "ingot/ops/norm/rms_norm.h"

namespace ingot::reference {

array rms_norm(const array& x, const array& weight, float eps);
Normed add_rms_norm(const array& x, const array& residual, const array& weight, float eps);

}  // namespace ingot::reference
