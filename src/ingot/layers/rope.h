// Rotary positions of one kind: a decoder computes each kind's table once a step.
#pragma once

#include "ingot/ops/rope/rope.h"

namespace ingot {

class Rope {
 public:
  Rope(double theta, int dims)
      : inv_freq_(from_host(std::span<const float>(default_inv_freq(static_cast<float>(theta), dims)))) {}

  array operator()(const array& positions) const { return rope_table(positions, inv_freq_); }

 private:
  array inv_freq_;  // float32[dims / 2]
};

}  // namespace ingot
