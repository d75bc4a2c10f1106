// One row of logits with the best of each chunk: finds its best tokens without sorting the row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "ingot/ops/sampling/sampling_kernels.h"

namespace ingot {

struct Candidate {
  float value;
  int32_t id;
};

// Descending, equals by lower id.
inline bool better(const Candidate& a, const Candidate& b) {
  return a.value > b.value || (a.value == b.value && a.id < b.id);
}

// NaN counts as −∞ throughout. Reused from row to row, so that its memory is.
class RowIndex {
 public:
  void reset(const float* x, int n);  // x is kept, not copied

  float best() const { return best_; }
  int first_best() const;       // the lowest id whose value is best(); 0 when there is none
  float kth_best(int k) const;  // 1 ≤ k ≤ n

  // Appends, ids ascending, every element for which keep(value); keep must hold for all values above one it holds for.
  template <class Keep>
  void gather(Keep keep, std::vector<Candidate>& out) const {
    for (size_t c = 0; c < maxima_.size(); ++c) {
      if (!keep(maxima_[c])) continue;
      const int end = std::min(n_, int(c + 1) * cpu::kChunk);
      for (int i = int(c) * cpu::kChunk; i < end; ++i) {
        const float value = x_[i] == x_[i] ? x_[i] : -std::numeric_limits<float>::infinity();
        if (keep(value)) out.push_back({value, i});
      }
    }
  }

 private:
  const float* x_ = nullptr;
  int n_ = 0;
  float best_ = 0.0f;
  std::vector<float> maxima_;
};

}  // namespace ingot
