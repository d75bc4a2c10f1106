// Attention of one layer over its group's pages.
#pragma once

#include "ingot/layers/step.h"
#include "ingot/ops/attention/paged_attention.h"

namespace ingot {

class PagedAttention {
 public:
  // `layer_in_group`: the layer's place among the layers of its KV group; `rope`: its kind in Step::ropes.
  PagedAttention(AttentionShape shape, int group, int layer_in_group, int rope = 0)
      : shape_(shape), group_(group), layer_in_group_(layer_in_group), rope_(rope) {}

  // qkv float32[T, (heads + 2 kv_heads) · head_dim] → float32[T, heads · head_dim]
  array operator()(const array& qkv, Step& step) const {
    StepKv& kv = step.kv[group_];
    const AttentionMeta meta{step.query_start, step.context_len, kv.block_table, step.ropes[rope_], kv.block_size};
    Attended result = paged_attention(qkv, kv.pool, layer_in_group_, meta, shape_);
    kv.pool = std::move(result.pool);
    return std::move(result.out);
  }

 private:
  AttentionShape shape_;
  int group_, layer_in_group_, rope_;
};

}  // namespace ingot
