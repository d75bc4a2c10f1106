// SplitMix64: distinct well mixed numbers from a counter.
#pragma once

#include <cstdint>

namespace ingot {

// The finisher of Steele, Lea and Flood's SplitMix64: one to one on 64 bits.
constexpr uint64_t splitmix64(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

// The n-th number, n = 0, 1, …, of the sequence that starts at `seed`.
constexpr uint64_t splitmix64(uint64_t seed, uint64_t n) { return splitmix64(seed + 0x9E3779B97F4A7C15 * (n + 1)); }

}  // namespace ingot
