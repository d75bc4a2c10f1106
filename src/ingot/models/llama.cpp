// llama.cpp: Llama decoder (Llama 2/3, SmolLM2, Yi, distills). Pre-norm blocks, half-split rope, SiLU-gated MLP.
#include <cmath>

#include "ingot/layers/gated_mlp.h"
#include "ingot/layers/paged_attention.h"
#include "ingot/models/decoder.h"
#include "ingot/models/families.h"

namespace ingot {
namespace {

struct Attention {
  Linear qkv, out;
  PagedAttention paged;

  Attention(const ModelConfig& c, const Weights& w, int layer)
      : qkv(w, {"q_proj.weight", "k_proj.weight", "v_proj.weight"}),
        out(w, {"o_proj.weight"}),
        paged({c.num_heads, c.num_kv_heads, c.head_dim, 1.0f / std::sqrt(static_cast<float>(c.head_dim))}, 0, layer) {}

  array operator()(const array& x, Step& step) const { return out(paged(qkv(x), step)); }
};

struct Block {
  RmsNorm input_norm, post_attention_norm;
  Attention attention;
  GatedMlp mlp;

  Block(const ModelConfig& c, const Weights& w, int layer)
      : input_norm(w.scope("input_layernorm"), c.rms_norm_eps),
        post_attention_norm(w.scope("post_attention_layernorm"), c.rms_norm_eps),
        attention(c, w.scope("self_attn"), layer),
        mlp(w.scope("mlp")) {}

  void operator()(Residual& h, Step& step) const {
    h.add(attention(h.normed(input_norm), step));
    h.add(mlp(h.normed(post_attention_norm)));
  }

  static KvSpec kv_spec(const ModelConfig& c, int) { return {KvKind::kFull, c.num_kv_heads, c.head_dim}; }
};

}  // namespace

std::unique_ptr<CausalLm> make_llama(const ModelConfig& c, const Weights& w) { return decoder<Block>(c, w); }

}  // namespace ingot
