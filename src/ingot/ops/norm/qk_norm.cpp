// Heads are rows of the norm kernel, so a head's sum has the same order as a row's.
#include "ingot/ops/norm/qk_norm.h"

#include <algorithm>

#include "ingot/ops/cpu/cpu_op.h"
#include "ingot/ops/cpu/isa.h"
#include "ingot/ops/cpu/thread_pool.h"
#include "ingot/ops/norm/norm_kernels.h"

namespace ingot {

array qk_norm(const array& qkv, const QkNormParams& norm) {
  const int head_dim = norm.query_weight.shape(0);
  const int normed = norm.num_heads + norm.num_kv_heads, heads = normed + norm.num_kv_heads;
  require(qkv, mx::float32, {-1, heads * head_dim}, "qk_norm qkv");
  require(norm.query_weight, mx::float32, {-1}, "qk_norm query weight");
  require(norm.key_weight, mx::float32, {head_dim}, "qk_norm key weight");
  return cpu::cpu_op(
      "qk_norm", {qkv, norm.query_weight, norm.key_weight}, {{qkv.shape(), mx::float32, 0}},
      [=, num_heads = norm.num_heads, eps = norm.eps](const std::vector<array>& in, std::vector<array>& out) {
        const cpu::NormScale query{in[1].data<float>(), head_dim, eps};
        const cpu::NormScale key{in[2].data<float>(), head_dim, eps};
        const auto& kernels = cpu::kernels<cpu::NormKernels>();
        float* data = out[0].data<float>();
        const int tokens = out[0].shape(0), tokens_per_task = std::max(1, 16384 / (normed * head_dim));
        const int tasks = (tokens + tokens_per_task - 1) / tokens_per_task;
        cpu::ThreadPool::instance().parallel_for(tasks, [&](int task) {
          const int end = std::min(tokens, (task + 1) * tokens_per_task);
          for (int t = task * tokens_per_task; t < end; ++t) {
            float* head = data + size_t(t) * heads * head_dim;
            for (int h = 0; h < normed; ++h, head += head_dim)
              kernels.rms_norm(head, h < num_heads ? query : key, head);
          }
        });
      })[0];
}

}  // namespace ingot
