// The table of gate kernels (see ops/cpu/isa.h).
#pragma once

namespace ingot::cpu {

struct GatedKernels {
  void (*silu_mul)(const float* gate, const float* up, int n, float* y);  // y = gate / (1 + e^−gate) · up
};

}  // namespace ingot::cpu
