// down(silu(gate x) · up x)
#pragma once

#include "ingot/layers/linear.h"
#include "ingot/ops/activation/gated.h"

namespace ingot {

class GatedMlp {
 public:
  explicit GatedMlp(const Weights& w, bool bias = false)
      : gate_up_(w, {"gate_proj", "up_proj"}, bias), down_(w, {"down_proj"}, bias) {}

  array operator()(const array& x) const { return down_(silu_mul(gate_up_(x))); }

 private:
  Linear gate_up_, down_;
};

}  // namespace ingot
