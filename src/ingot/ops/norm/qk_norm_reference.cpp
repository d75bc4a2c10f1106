// The norm of heads by MLX operations.
#include "ingot/ops/norm/qk_norm.h"
#include "ingot/ops/norm/rms_norm_reference.h"

namespace ingot::reference {

array qk_norm(const array& qkv, const QkNormParams& norm) {
  const int head_dim = norm.query_weight.shape(0), tokens = qkv.shape(0);
  const std::vector<array> parts =
      mx::split(mx::reshape(qkv, {tokens, -1, head_dim}), mx::Shape{norm.num_heads, norm.num_heads + norm.num_kv_heads},
                1);  // queries, keys, values
  const array heads = mx::concatenate(
      {rms_norm(parts[0], norm.query_weight, norm.eps), rms_norm(parts[1], norm.key_weight, norm.eps), parts[2]}, 1);
  return mx::reshape(heads, qkv.shape());
}

}  // namespace ingot::reference
