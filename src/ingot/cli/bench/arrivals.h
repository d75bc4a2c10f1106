// When the requests of a benchmark are sent.
#pragma once

#include <cstdint>
#include <vector>

namespace ingot::cli {

// Seconds after the start at which each request is due, ascending. The gaps follow a gamma distribution of shape
// `burstiness` (1: a Poisson process; below 1: bursts; above 1: evener), scaled so that the last request is due at
// num_requests / rate, as in vLLM. An infinite rate: all at once.
std::vector<double> arrival_times(int num_requests, double requests_per_s, double burstiness, uint64_t seed);

}  // namespace ingot::cli
