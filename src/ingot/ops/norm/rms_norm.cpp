// Norms as nodes: rows shared out to the pool.
#include "ingot/ops/norm/rms_norm.h"

#include <algorithm>

#include "ingot/ops/cpu/cpu_op.h"
#include "ingot/ops/cpu/isa.h"
#include "ingot/ops/cpu/thread_pool.h"
#include "ingot/ops/norm/norm_kernels.h"

namespace ingot {
namespace {

void check(const array& x, const array& weight) {
  require(x, mx::float32, {-1, -1}, "rms_norm x");
  require(weight, mx::float32, {x.shape(1)}, "rms_norm weight");
}

// Calls row(t) for each of `rows`, enough rows a task to be worth a worker's while.
template <class Row>
void for_rows(int rows, int width, Row row) {
  const int rows_per_task = std::max(1, 16384 / width);
  cpu::ThreadPool::instance().parallel_for((rows + rows_per_task - 1) / rows_per_task, [&](int task) {
    const int end = std::min(rows, (task + 1) * rows_per_task);
    for (int t = task * rows_per_task; t < end; ++t) row(t);
  });
}

}  // namespace

array rms_norm(const array& x, const array& weight, float eps) {
  check(x, weight);
  return cpu::cpu_op("rms_norm", {x, weight}, {{x.shape(), mx::float32}},
                     [eps](const std::vector<array>& in, std::vector<array>& out) {
                       const int width = in[0].shape(1);
                       const cpu::NormScale scale{in[1].data<float>(), width, eps};
                       const float* x = in[0].data<float>();
                       float* y = out[0].data<float>();
                       const auto& kernels = cpu::kernels<cpu::NormKernels>();
                       for_rows(in[0].shape(0), width,
                                [&](int t) { kernels.rms_norm(x + size_t(t) * width, scale, y + size_t(t) * width); });
                     })[0];
}

Normed add_rms_norm(const array& x, const array& residual, const array& weight, float eps) {
  check(x, weight);
  require(residual, mx::float32, {x.shape(0), x.shape(1)}, "add_rms_norm residual");
  const auto outputs =
      cpu::cpu_op("add_rms_norm", {x, residual, weight}, {{x.shape(), mx::float32}, {x.shape(), mx::float32}},
                  [eps](const std::vector<array>& in, std::vector<array>& out) {
                    const int width = in[0].shape(1);
                    const cpu::NormScale scale{in[2].data<float>(), width, eps};
                    const float *x = in[0].data<float>(), *residual = in[1].data<float>();
                    float *y = out[0].data<float>(), *sum = out[1].data<float>();
                    const auto& kernels = cpu::kernels<cpu::NormKernels>();
                    for_rows(in[0].shape(0), width, [&](int t) {
                      const size_t at = size_t(t) * width;
                      kernels.add_rms_norm(x + at, residual + at, scale, sum + at, y + at);
                    });
                  });
  return {.normed = outputs[0], .residual = outputs[1]};
}

}  // namespace ingot
