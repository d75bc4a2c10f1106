// qwen2.cpp: Qwen2 and 2.5. A Llama with biases on queries, keys and values, and windows in its upper layers on demand.
#include "ingot/models/decoder.h"
#include "ingot/models/families.h"
#include "ingot/models/pre_norm_block.h"

namespace ingot {
namespace {

struct Attention {
  Linear qkv, out;
  PagedAttention paged;

  Attention(const ModelConfig& c, const Weights& w, const BlockPlace& place)
      : qkv(w, {"q_proj", "k_proj", "v_proj"}, true), out(w, {"o_proj"}), paged(paged_attention_of(c, place)) {}

  array operator()(const array& x, Step& step) const { return out(paged(qkv(x), step)); }
};

}  // namespace

DecoderFamily qwen_family() {
  DecoderFamily family;
  // Files state a window and switch it off beside it.
  family.window = [](ConfigReader& keys) {
    return keys.flag("use_sliding_window", false)
               ? keys.natural("sliding_window", keys.mentions("sliding_window") ? 0 : 4096)
               : 0;
  };
  family.slides = [](ConfigReader& keys, int layer) { return layer >= keys.natural("max_window_layers", 28); };
  return family;
}

Result<ModelConfig> read_qwen2_config(const boost::json::object& config) {
  return read_decoder_config(config, qwen_family());
}

std::unique_ptr<CausalLm> make_qwen2(const ModelConfig& c, const Weights& w) {
  return decoder<PreNormBlock<Attention>>(c, w);
}

}  // namespace ingot
