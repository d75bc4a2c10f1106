// A histogram of the weights by magnitude finds the bin that the nucleus ends in; only that bin is sorted.
#include "ingot/ops/sampling/nucleus.h"

#include <bit>

namespace ingot {
namespace {

// Floats of one bin share exponent and four bits of mantissa; larger ones have larger bins.
constexpr int kDroppedBits = 19;
constexpr uint32_t kBins = (0x3f800000 >> kDroppedBits) + 1;  // up to 1.0

// Of a weight in [0, 1]; NaN falls into the last.
int bin_of(float weight) { return int(std::min(std::bit_cast<uint32_t>(weight) >> kDroppedBits, kBins - 1)); }

// Calls visit(weight, index) for the weights of each chunk that has one above `floor`, indices ascending.
template <class Visit>
void for_each_near(float floor, std::span<const float> weights, std::span<const float> chunk_maxima, Visit visit) {
  for (size_t c = 0; c < chunk_maxima.size(); ++c) {
    if (!(chunk_maxima[c] > floor)) continue;
    const size_t end = std::min(weights.size(), (c + 1) * cpu::kChunk);
    for (size_t i = c * cpu::kChunk; i < end; ++i) visit(weights[i], i);
  }
}

}  // namespace

Candidate Nucleus::find_last(std::span<const float> weights, std::span<const float> chunk_maxima, double wanted,
                             float floor) {
  mass_.assign(kBins, {});
  for_each_near(floor, weights, chunk_maxima, [&](float weight, size_t i) { mass_[bin_of(weight)][i % 4] += weight; });
  const auto mass = [&](int bin) { return (mass_[bin][0] + mass_[bin][1]) + (mass_[bin][2] + mass_[bin][3]); };
  int bin = int(kBins) - 1;
  double before = 0.0;
  for (; bin > 0 && before + mass(bin) < wanted; --bin) before += mass(bin);

  boundary_.clear();
  for_each_near(floor, weights, chunk_maxima, [&](float weight, size_t i) {
    if (bin_of(weight) == bin && weight > floor) boundary_.push_back({weight, int32_t(i)});
  });
  std::ranges::sort(boundary_, better);
  Candidate last{0.0f, 0};  // none left to cut: rounding kept the sum below what was wanted
  for (const Candidate& candidate : boundary_) {
    if (before >= wanted) break;
    before += candidate.value;
    last = candidate;
  }
  return last;
}

void Nucleus::cut(std::span<float> weights, std::span<const float> chunk_maxima, double wanted, float floor) {
  const Candidate last = find_last(weights, chunk_maxima, wanted, floor);
  for (float& weight : weights) weight = weight < last.value ? 0.0f : weight;
  for (size_t i = last.id + 1; i < weights.size(); ++i)
    if (weights[i] == last.value) weights[i] = 0.0f;
}

}  // namespace ingot
