// Linear: the one door for weight matrices, whatever their format.
#pragma once

#include <string>
#include <vector>

#include "ingot/ops/linear/linear.h"
#include "ingot/weights/weights.h"

namespace ingot {

// y = W x, float32[T, in] → float32[T, out].
class Linear {
 public:
  // Several names: their rows one below the other, so that projections of one input are one operation.
  Linear(const Weights& w, const std::vector<std::string>& names) : weight_(w.linear(names)) {}
  explicit Linear(PackedWeight weight) : weight_(std::move(weight)) {}

  array operator()(const array& x) const { return linear(x, weight_); }
  int out_features() const { return weight_.out_features; }

 private:
  PackedWeight weight_;
};

}  // namespace ingot
