// Draws the gaps.
#include "ingot/cli/bench/arrivals.h"

#include <cmath>
#include <random>

namespace ingot::cli {

std::vector<double> arrival_times(int num_requests, double requests_per_s, double burstiness, uint64_t seed) {
  std::vector<double> times(static_cast<size_t>(num_requests), 0.0);
  if (std::isinf(requests_per_s)) return times;
  std::mt19937_64 random(seed);
  std::gamma_distribution<double> gap(burstiness, 1.0 / (requests_per_s * burstiness));
  double time = 0;
  for (double& due : times) due = time += gap(random);
  if (time <= 0) return times;
  const double scale = num_requests / requests_per_s / time;
  for (double& due : times) due *= scale;
  return times;
}

}  // namespace ingot::cli
