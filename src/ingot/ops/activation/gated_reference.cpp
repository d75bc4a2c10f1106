// The gate by MLX operations.
#include "ingot/ops/activation/gated.h"

namespace ingot::reference {

array silu_mul(const array& gate_up) {
  const std::vector<array> halves = mx::split(gate_up, 2, -1);
  return halves[0] * mx::sigmoid(halves[0]) * halves[1];
}

}  // namespace ingot::reference
