// RMS norm of query and key heads with their learned weights, q_norm and k_norm.
#pragma once

#include "ingot/core/model_config.h"
#include "ingot/ops/norm/qk_norm.h"
#include "ingot/weights/weights.h"

namespace ingot {

class QkNorm {
 public:
  QkNorm(const Weights& w, const ModelConfig& c)
      : params_{w.vector("q_norm.weight"), w.vector("k_norm.weight"), c.num_heads, c.num_kv_heads, c.rms_norm_eps} {}

  // qkv float32[T, (heads + 2 kv_heads) · head_dim], consumed → the same, normed.
  array operator()(const array& qkv) const { return qk_norm(qkv, params_); }

 private:
  QkNormParams params_;
};

}  // namespace ingot
