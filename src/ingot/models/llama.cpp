// llama.cpp: Llama decoder (Llama 2/3, SmolLM2, Yi, distills). Half-split rope, biases where the config says so.
#include "ingot/models/decoder.h"
#include "ingot/models/families.h"
#include "ingot/models/pre_norm_block.h"

namespace ingot {
namespace {

struct Attention {
  Linear qkv, out;
  PagedAttention paged;

  Attention(const ModelConfig& c, const Weights& w, const BlockPlace& place)
      : qkv(w, {"q_proj", "k_proj", "v_proj"}, c.attention_bias),
        out(w, {"o_proj"}, c.attention_bias),
        paged(paged_attention_of(c, place)) {}

  array operator()(const array& x, Step& step) const { return out(paged(qkv(x), step)); }
};

}  // namespace

Result<ModelConfig> read_llama_config(const boost::json::object& config) { return read_decoder_config(config); }

std::unique_ptr<CausalLm> make_llama(const ModelConfig& c, const Weights& w) {
  return decoder<PreNormBlock<Attention>>(c, w);
}

}  // namespace ingot
