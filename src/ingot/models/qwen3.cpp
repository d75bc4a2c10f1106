// qwen3.cpp: Qwen3 dense. Pre-norm blocks, RMS norm on each query and key head in front of rope.
#include "ingot/layers/qk_norm.h"
#include "ingot/models/decoder.h"
#include "ingot/models/families.h"
#include "ingot/models/pre_norm_block.h"

namespace ingot {
namespace {

struct Attention {
  Linear qkv, out;
  QkNorm head_norm;
  PagedAttention paged;

  Attention(const ModelConfig& c, const Weights& w, const BlockPlace& place)
      : qkv(w, {"q_proj", "k_proj", "v_proj"}, c.attention_bias),
        out(w, {"o_proj"}, c.attention_bias),
        head_norm(w, c),
        paged(paged_attention_of(c, place)) {}

  array operator()(const array& x, Step& step) const { return out(paged(head_norm(qkv(x)), step)); }
};

}  // namespace

Result<ModelConfig> read_qwen3_config(const boost::json::object& config) {
  DecoderFamily family = qwen_family();
  family.head_dim = 128;
  return read_decoder_config(config, family);
}

std::unique_ptr<CausalLm> make_qwen3(const ModelConfig& c, const Weights& w) {
  return decoder<PreNormBlock<Attention>>(c, w);
}

}  // namespace ingot
