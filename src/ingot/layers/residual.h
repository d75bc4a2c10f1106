// The residual stream, with the last sublayer's output not yet added, so that sum and norm are one operation.
#pragma once

#include <optional>
#include <utility>

#include "ingot/layers/rms_norm.h"
#include "ingot/ops/sampling/row_ops.h"
#include "ingot/tensor/array.h"

namespace ingot {

class Residual {
 public:
  explicit Residual(array x) : sum_(std::move(x)) {}  // float32[T, hidden]

  // To be added; at most one between two calls of normed().
  void add(array x) { pending_ = std::move(x); }

  array normed(const RmsNorm& norm) {
    if (!pending_) return norm(sum_);
    Normed result = norm(*std::exchange(pending_, std::nullopt), sum_);
    sum_ = std::move(result.residual);
    return std::move(result.normed);
  }

  // Goes on with these tokens only.
  void keep_rows(const array& rows) {
    sum_ = gather_rows(sum_, rows);
    if (pending_) pending_ = gather_rows(*pending_, rows);
  }

 private:
  array sum_;
  std::optional<array> pending_;
};

}  // namespace ingot
