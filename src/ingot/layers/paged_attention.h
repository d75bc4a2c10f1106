// Attention of one layer over its group's pages.
#pragma once

#include "ingot/core/kv_spec.h"
#include "ingot/layers/step.h"
#include "ingot/ops/attention/paged_attention.h"

namespace ingot {

class PagedAttention {
 public:
  // `rope`: the layer's kind in Step::ropes.
  PagedAttention(AttentionShape shape, KvPlace place, int rope = 0) : shape_(shape), place_(place), rope_(rope) {}

  // qkv float32[T, (heads + 2 kv_heads) · head_dim] → float32[T, heads · head_dim]
  array operator()(const array& qkv, Step& step) const {
    StepKv& kv = step.kv[place_.group];
    const RopeTables& rope = step.ropes[rope_];
    const AttentionMeta meta{step.query_start, step.context_len, kv.block_table,
                             rope.keys,        kv.block_size,    rope.queries};
    Attended result = paged_attention(qkv, kv.pool, place_.layer, meta, shape_);
    kv.pool = std::move(result.pool);
    return std::move(result.out);
  }

 private:
  AttentionShape shape_;
  KvPlace place_;
  int rope_;
};

}  // namespace ingot
