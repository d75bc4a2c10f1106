// RMS norm of each query and key head, in front of rope (Qwen3).
#pragma once

#include "ingot/tensor/array.h"

namespace ingot {

struct QkNormParams {
  array query_weight, key_weight;  // float32[head_dim]
  int num_heads = 0, num_kv_heads = 0;
  float eps = 1e-6f;
};

// qkv float32[T, (num_heads + 2 num_kv_heads) · head_dim] → the same with every query head and key head normalised over
// its channels as rms_norm() does, values as they were. In place: use the result from here on, `qkv` never again. A
// head's bits depend on its channels alone. Throws std::invalid_argument on shapes that do not fit.
array qk_norm(const array& qkv, const QkNormParams& norm);

namespace reference {
array qk_norm(const array& qkv, const QkNormParams& norm);  // by MLX operations; leaves `qkv` alone
}

}  // namespace ingot
