// RMS norm with its learned weight.
#pragma once

#include "ingot/ops/norm/rms_norm.h"
#include "ingot/weights/weights.h"

namespace ingot {

class RmsNorm {
 public:
  RmsNorm(const Weights& w, float eps) : weight_(w.vector("weight")), eps_(eps) {}

  array operator()(const array& x) const { return rms_norm(x, weight_, eps_); }
  Normed operator()(const array& x, const array& residual) const { return add_rms_norm(x, residual, weight_, eps_); }

 private:
  array weight_;
  float eps_;
};

}  // namespace ingot
