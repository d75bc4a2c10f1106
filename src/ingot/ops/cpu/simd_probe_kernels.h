// Every vector operation, run once: what simd_test.cpp compares between instruction sets. Part of the tests only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ingot::cpu {

struct SimdProbe {
  // Applies each operation to three vectors of 16 floats and writes all the results' bits to `out`; returns their
  // number.
  int (*run)(const float* a, const float* b, const float* c, uint32_t* out);
  // e^x of 16 floats.
  void (*exp)(const float* x, float* y);
};

inline constexpr int kMaxProbeWords = 1024;

}  // namespace ingot::cpu
