// Shape first, then what each layer's attention does.
#include "ingot/models/decoder_config.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ingot/models/rope_reader.h"

namespace ingot {
namespace {

namespace json = boost::json;

constexpr double kMaxPositions = 1 << 24;  // float32 counts no further

std::string first_architecture(ConfigReader& keys) {
  const std::vector<std::string> names = keys.texts("architectures");
  return names.empty() ? "" : names[0];
}

void read_shape(ConfigReader& keys, const DecoderFamily& family, ModelConfig& c) {
  c.architecture = first_architecture(keys);
  c.model_type = keys.text("model_type");
  c.vocab_size = keys.positive("vocab_size");
  c.hidden_size = keys.positive("hidden_size");
  c.intermediate_size = keys.positive("intermediate_size");
  c.num_layers = keys.positive("num_hidden_layers");
  c.num_heads = keys.positive("num_attention_heads");
  // A class's own number is for files that omit the key; null means one KV head a query head.
  const bool own_kv_heads = family.num_kv_heads > 0 && !keys.mentions("num_key_value_heads");
  c.num_kv_heads = keys.positive("num_key_value_heads", own_kv_heads ? family.num_kv_heads : c.num_heads);
  const bool own_head_dim = family.head_dim > 0 && !keys.mentions("head_dim");
  c.head_dim = keys.positive("head_dim", own_head_dim ? family.head_dim : std::max(1, c.hidden_size / c.num_heads));
  c.rms_norm_eps = static_cast<float>(keys.real("rms_norm_eps", 1e-6));
  c.tie_word_embeddings = keys.flag("tie_word_embeddings", family.tie_word_embeddings);
  c.attention_bias = keys.flag("attention_bias", false);
  c.mlp_bias = keys.flag("mlp_bias", false);
  if (c.num_heads % c.num_kv_heads != 0) {
    keys.fault("num_key_value_heads",
               fmt::format("({}) does not divide num_attention_heads ({})", c.num_kv_heads, c.num_heads));
  }
  if (c.head_dim % 2 != 0) keys.fault("head_dim", fmt::format("is {}, must be even", c.head_dim));
  if (const std::string act = keys.text("hidden_act", "silu"); act != "silu")
    keys.refuse("hidden_act", fmt::format("'{}' is not supported", act));
}

// By layer: whether it slides.
std::vector<bool> sliding_layers(ConfigReader& keys, const DecoderFamily& family, int num_layers) {
  std::vector<bool> slides;
  if (!keys.has("layer_types")) {
    for (int layer = 0; layer < num_layers; ++layer) slides.push_back(family.slides(keys, layer));
    return slides;
  }
  const std::vector<std::string> types = keys.texts("layer_types");
  for (const std::string& type : types) {
    if (type != "full_attention" && type != "sliding_attention")
      keys.refuse("layer_types", fmt::format("holds '{}', which is not supported", type));
    slides.push_back(type == "sliding_attention");
  }
  if (types.size() < static_cast<size_t>(num_layers))
    keys.fault("layer_types", fmt::format("has {} elements for {} layers", types.size(), num_layers));
  slides.resize(num_layers);
  return slides;
}

// The index in c.ropes of the rope that such layers use.
int rope_of(ConfigReader& keys, std::string_view layer_type, const RopeShape& shape, ModelConfig& c, double& reach) {
  const ReadRope read = read_rope(keys, layer_type, shape);
  reach = std::max(reach, read.max_model_len);
  const auto known = std::ranges::find(c.ropes, read.rope);
  if (known == c.ropes.end()) c.ropes.push_back(read.rope);
  return static_cast<int>(std::ranges::find(c.ropes, read.rope) - c.ropes.begin());
}

void read_layers(ConfigReader& keys, const DecoderFamily& family, ModelConfig& c) {
  const std::vector<bool> slides = sliding_layers(keys, family, c.num_layers);
  const int window = family.window(keys);
  const RopeShape shape{c.head_dim, family.rope_theta, keys.positive("max_position_embeddings")};
  double reach = 0;
  for (const bool sliding : slides) {
    c.layers.push_back({.window = sliding ? window : 0,
                        .rope = rope_of(keys, sliding ? "sliding_attention" : "full_attention", shape, c, reach)});
  }
  c.max_model_len = static_cast<int>(std::min(std::floor(reach), kMaxPositions));
}

}  // namespace

Result<ModelConfig> read_decoder_config(const json::object& config, const DecoderFamily& family) {
  ConfigReader keys(config);
  ModelConfig c;
  read_shape(keys, family, c);
  if (const Status shape = keys.status(); !shape) return std::unexpected(shape.error());
  read_layers(keys, family, c);
  if (const Status layers = keys.status(); !layers) return std::unexpected(layers.error());
  c.raw = std::make_shared<const json::object>(config);
  return c;
}

}  // namespace ingot
