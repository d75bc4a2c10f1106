// A decoder block: attention and gated MLP, each behind a norm and added to the residual stream.
#pragma once

#include <cmath>

#include "ingot/core/kv_spec.h"
#include "ingot/core/model_config.h"
#include "ingot/layers/gated_mlp.h"
#include "ingot/layers/paged_attention.h"
#include "ingot/layers/residual.h"

namespace ingot {

// Where a block stands in its model.
struct BlockPlace {
  int layer = 0;
  KvPlace kv;
};

// Attention over the layer's pages, with its window and rope.
inline PagedAttention paged_attention_of(const ModelConfig& c, const BlockPlace& place) {
  const LayerConfig& layer = c.layers[place.layer];
  return {{c.num_heads, c.num_kv_heads, c.head_dim, 1.0f / std::sqrt(static_cast<float>(c.head_dim)), layer.window},
          place.kv,
          layer.rope};
}

// Attention: Attention(const ModelConfig&, const Weights&, const BlockPlace&); array operator()(const array& x, Step&)
// const.
template <class Attention>
struct PreNormBlock {
  RmsNorm input_norm, post_attention_norm;
  Attention attention;
  GatedMlp mlp;

  PreNormBlock(const ModelConfig& c, const Weights& w, const BlockPlace& place)
      : input_norm(w.scope("input_layernorm"), c.rms_norm_eps),
        post_attention_norm(w.scope("post_attention_layernorm"), c.rms_norm_eps),
        attention(c, w.scope("self_attn"), place),
        mlp(w.scope("mlp"), c.mlp_bias) {}

  void operator()(Residual& h, Step& step) const {
    h.add(attention(h.normed(input_norm), step));
    h.add(mlp(h.normed(post_attention_norm)));
  }

  static KvSpec kv_spec(const ModelConfig& c, int layer) {
    const int window = c.layers[layer].window;
    return {window > 0 ? KvKind::kWindow : KvKind::kFull, c.num_kv_heads, c.head_dim, window};
  }
};

}  // namespace ingot
