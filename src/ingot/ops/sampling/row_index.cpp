// Selection in one row.
#include "ingot/ops/sampling/row_index.h"

#include <functional>

#include "ingot/ops/cpu/isa.h"

namespace ingot {

void RowIndex::reset(const float* x, int n) {
  maxima_.resize(cpu::num_chunks(n));
  cpu::kernels<cpu::SamplingKernels>().chunk_max(x, n, maxima_.data());
  x_ = x, n_ = n, best_ = *std::ranges::max_element(maxima_);
}

int RowIndex::first_best() const {
  const auto chunk = std::ranges::find(maxima_, best_) - maxima_.begin();
  for (int i = int(chunk) * cpu::kChunk; i < n_; ++i)
    if (x_[i] == best_) return i;
  return 0;
}

float RowIndex::kth_best(int k) const {
  // The k-th best chunk has k elements at or above its maximum, so the answer is not below it.
  float bound = -std::numeric_limits<float>::infinity();
  if (k <= int(maxima_.size())) {
    std::vector<float> maxima = maxima_;
    std::nth_element(maxima.begin(), maxima.begin() + (k - 1), maxima.end(), std::greater<>());
    bound = maxima[k - 1];
  }
  std::vector<Candidate> candidates;
  gather([&](float value) { return value >= bound; }, candidates);
  std::nth_element(candidates.begin(), candidates.begin() + (k - 1), candidates.end(), better);
  return candidates[k - 1].value;
}

}  // namespace ingot
