// The table of norm kernels (see ops/cpu/isa.h).
#pragma once

namespace ingot::cpu {

struct NormScale {
  const float* weight;
  int width;
  float eps;
};

struct NormKernels {
  // y = x · weight / √(mean(x²) + eps) over one row; y may be x.
  void (*rms_norm)(const float* x, const NormScale& scale, float* y);
  // sum = residual + x, then y as above of sum.
  void (*add_rms_norm)(const float* x, const float* residual, const NormScale& scale, float* sum, float* y);
};

}  // namespace ingot::cpu
