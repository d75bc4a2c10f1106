// The angles of a step by MLX operations.
#include "ingot/ops/rope/rope.h"

namespace ingot::reference {

array rope_table(const array& positions, const array& inv_freq) {
  const array angle = mx::expand_dims(mx::astype(positions, mx::float32), 1) * mx::expand_dims(inv_freq, 0);
  return mx::stack({mx::cos(angle), mx::sin(angle)}, 1);
}

}  // namespace ingot::reference
