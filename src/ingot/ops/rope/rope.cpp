// The angles of a step on CPU: one libm call an angle is far below the cost of anything else in a step.
#include "ingot/ops/rope/rope.h"

#include <algorithm>
#include <cmath>

#include "ingot/ops/cpu/cpu_op.h"
#include "ingot/ops/cpu/thread_pool.h"

namespace ingot {
namespace {

float growth_at(const RopeScale& scale, int32_t position) {
  return scale.growth == 0.0f ? 1.0f : 1.0f + scale.growth * std::log1p(static_cast<float>(position / scale.period));
}

}  // namespace

std::vector<float> default_inv_freq(double theta, int dims) {
  std::vector<float> inv_freq(dims / 2);
  for (int i = 0; i < dims / 2; ++i) inv_freq[i] = static_cast<float>(std::pow(theta, -2.0 * i / dims));
  return inv_freq;
}

array rope_table(const array& positions, const array& inv_freq, const RopeScale& scale) {
  require(positions, mx::int32, {-1}, "rope_table positions");
  require(inv_freq, mx::float32, {-1}, "rope_table inv_freq");
  const int num_tokens = positions.shape(0), half = inv_freq.shape(0);
  return cpu::cpu_op("rope_table", {positions, inv_freq}, {{{num_tokens, 2, half}, mx::float32}},
                     [=](const std::vector<array>& in, std::vector<array>& out) {
                       const int32_t* position = in[0].data<int32_t>();
                       const float* freq = in[1].data<float>();
                       float* table = out[0].data<float>();
                       constexpr int kTokens = 16;  // a task
                       cpu::ThreadPool::instance().parallel_for((num_tokens + kTokens - 1) / kTokens, [&](int task) {
                         const int end = std::min(num_tokens, (task + 1) * kTokens);
                         for (int t = task * kTokens; t < end; ++t) {
                           const float factor = scale.factor * growth_at(scale, position[t]);
                           for (int i = 0; i < half; ++i) {
                             const float angle = float(position[t]) * freq[i];
                             table[(size_t(t) * 2) * half + i] = factor * std::cos(angle);
                             table[(size_t(t) * 2 + 1) * half + i] = factor * std::sin(angle);
                           }
                         }
                       });
                     })[0];
}

}  // namespace ingot
