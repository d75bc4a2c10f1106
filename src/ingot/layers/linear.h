// Linear: the one door for weight matrices, whatever their format.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingot/ops/linear/linear.h"
#include "ingot/weights/weights.h"

namespace ingot {

// y = W x + bias, float32[T, in] → float32[T, out].
class Linear {
 public:
  // Reads NAME.weight, and with `bias` NAME.bias. Several names: their rows one below the other, so that projections of
  // one input are one operation.
  Linear(const Weights& w, const std::vector<std::string>& names, bool bias = false)
      : weight_(w.linear(with(names, ".weight"))) {
    if (bias) bias_ = w.vectors(with(names, ".bias"));
  }
  explicit Linear(PackedWeight weight) : weight_(std::move(weight)) {}

  array operator()(const array& x) const { return linear(x, weight_, bias_); }
  int out_features() const { return weight_.out_features; }

 private:
  static std::vector<std::string> with(std::vector<std::string> names, std::string_view suffix) {
    for (std::string& name : names) name += suffix;
    return names;
  }

  PackedWeight weight_;
  std::optional<array> bias_;  // float32[out]
};

}  // namespace ingot
