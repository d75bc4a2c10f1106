// The gate as a node: rows shared out to the pool.
#include "ingot/ops/activation/gated.h"

#include <algorithm>
#include <stdexcept>

#include "ingot/ops/activation/gated_kernels.h"
#include "ingot/ops/cpu/cpu_op.h"
#include "ingot/ops/cpu/isa.h"
#include "ingot/ops/cpu/thread_pool.h"

namespace ingot {

array silu_mul(const array& gate_up) {
  require(gate_up, mx::float32, {-1, -1}, "silu_mul gate_up");
  if (gate_up.shape(1) % 2 != 0) throw std::invalid_argument("silu_mul: odd width " + describe(gate_up));
  const int rows = gate_up.shape(0), width = gate_up.shape(1) / 2;
  return cpu::cpu_op("silu_mul", {gate_up}, {{{rows, width}, mx::float32}},
                     [=](const std::vector<array>& in, std::vector<array>& out) {
                       const float* x = in[0].data<float>();
                       float* y = out[0].data<float>();
                       const auto& kernels = cpu::kernels<cpu::GatedKernels>();
                       const int rows_per_task = std::max(1, 8192 / std::max(1, width));
                       cpu::ThreadPool::instance().parallel_for(
                           (rows + rows_per_task - 1) / rows_per_task, [&](int task) {
                             const int end = std::min(rows, (task + 1) * rows_per_task);
                             for (int t = task * rows_per_task; t < end; ++t) {
                               const float* gate = x + size_t(t) * 2 * width;
                               kernels.silu_mul(gate, gate + width, width, y + size_t(t) * width);
                             }
                           });
                     })[0];
}

}  // namespace ingot
