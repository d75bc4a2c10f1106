// One streaming pass weighs the row; with top_k only the listed tokens are weighed.
#include "ingot/ops/sampling/row_weights.h"

#include <numeric>

namespace ingot {

void RowWeights::reset(const RowIndex& index, std::span<const float> logits, const Cuts& cuts) {
  listed_ = cuts.top_k > 0 && cuts.top_k < static_cast<int>(logits.size());
  zero_is_dropped_ = cuts.min_p > 0.0f || cuts.top_p < 1.0f;
  if (listed_) list_top_k(index, cuts);
  const double total = weigh(index, listed_ ? std::span<const float>(e_) : logits, cuts);
  if (cuts.top_p < 1.0f) cut_nucleus(cuts.top_p, total);
}

// e_ and ids_: the logits and ids of the k best and of their equals after the division.
void RowWeights::list_top_k(const RowIndex& index, const Cuts& cuts) {
  const float kth = index.kth_best(cuts.top_k) / cuts.temperature;
  best_.clear();
  index.gather([&](float x) { return x / cuts.temperature >= kth; }, best_);
  e_.resize(best_.size());
  ids_.resize((best_.size() + 15) / 16 * 16);
  for (size_t i = 0; i < best_.size(); ++i) e_[i] = best_[i].value, ids_[i] = best_[i].id;
}

// Makes e_ of logits, which may be e_; returns its total.
double RowWeights::weigh(const RowIndex& index, std::span<const float> logits, const Cuts& cuts) {
  const int n = static_cast<int>(logits.size());
  e_.resize(n);
  maxima_.resize(cpu::num_chunks(n));
  sums_.resize(cpu::num_chunks(n));
  kernels_.exp_row(logits.data(), n, {cuts.temperature, index.best() / cuts.temperature, cuts.min_p}, e_.data(),
                   {maxima_.data(), sums_.data()});
  return std::accumulate(sums_.begin(), sums_.end(), 0.0);
}

// All weights at or below (1 − p) / n of the total together are no more than the tail 1 − p, which goes; half of that
// bound leaves room for rounding.
void RowWeights::cut_nucleus(double top_p, double total) {
  const double floor = 0.5 * (1.0 - top_p) * total / static_cast<double>(e_.size());
  // Rounded: 0.3 of ten equals are three.
  nucleus_.cut(e_, maxima_, static_cast<float>(top_p * total), static_cast<float>(floor));
}

}  // namespace ingot
