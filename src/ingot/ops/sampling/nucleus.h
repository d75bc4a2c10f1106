// Top-p without a sort of the row.
#pragma once

#include <array>
#include <vector>

#include "ingot/ops/sampling/row_index.h"

namespace ingot {

// Finds where the nucleus of a row of weights ends: taking the row in descending order, equals by lower index, a weight
// stays while those before it sum to less than `wanted`. Reused from row to row, so that its memory is.
class Nucleus {
 public:
  // Sets every weight outside the nucleus to 0. chunk_maxima are those of the weights, which lie in [0, 1]; weights at
  // or below `floor` are known to lie outside.
  void cut(std::span<float> weights, std::span<const float> chunk_maxima, double wanted, float floor);

 private:
  Candidate find_last(std::span<const float> weights, std::span<const float> chunk_maxima, double wanted, float floor);

  std::vector<std::array<double, 4>> mass_;  // by bin of weights, in four sums that take turns
  std::vector<Candidate> boundary_;          // the bin that the nucleus ends in
};

}  // namespace ingot
