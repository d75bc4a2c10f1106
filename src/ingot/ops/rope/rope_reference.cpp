// The angles of a step by MLX operations.
#include "ingot/ops/rope/rope.h"

namespace ingot::reference {

array rope_table(const array& positions, const array& inv_freq, const RopeScale& scale) {
  const array angle = mx::expand_dims(mx::astype(positions, mx::float32), 1) * mx::expand_dims(inv_freq, 0);
  const array periods = mx::floor_divide(positions, array(scale.period, mx::int32));
  const array factor =
      array(scale.factor) + array(scale.factor * scale.growth) * mx::log1p(mx::astype(periods, mx::float32));
  return mx::stack({mx::cos(angle), mx::sin(angle)}, 1) * mx::expand_dims(factor, {1, 2});
}

}  // namespace ingot::reference
