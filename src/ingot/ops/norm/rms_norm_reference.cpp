// The norms by MLX operations.
#include "ingot/ops/norm/rms_norm_reference.h"

namespace ingot::reference {

array rms_norm(const array& x, const array& weight, float eps) {
  const array mean_square = mx::mean(mx::square(x), -1, true);
  return x * mx::rsqrt(mean_square + array(eps)) * weight;
}

Normed add_rms_norm(const array& x, const array& residual, const array& weight, float eps) {
  const array sum = residual + x;
  return {.normed = rms_norm(sum, weight, eps), .residual = sum};
}

}  // namespace ingot::reference
