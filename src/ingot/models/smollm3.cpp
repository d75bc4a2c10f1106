// smollm3.cpp: SmolLM3 is a Llama some of whose layers have no rotary positions (NoPE).
#include "ingot/models/families.h"
#include "ingot/models/rope_reader.h"

namespace ingot {
namespace {

// no_rope_layers holds 1 where a layer does rotate; without it every no_rope_layer_interval-th layer does not.
bool rotates(ConfigReader& keys, int layer) {
  const boost::json::value* list = keys.find("no_rope_layers");
  if (!list) return (layer + 1) % keys.positive("no_rope_layer_interval", 4) != 0;
  if (!list->is_array() || list->get_array().size() <= static_cast<size_t>(layer)) {
    keys.fault("no_rope_layers", "must list 0 or 1 for every layer");
    return true;
  }
  const boost::json::value& element = list->get_array()[layer];
  if (element != boost::json::value(0) && element != boost::json::value(1))
    keys.fault("no_rope_layers", "must list 0 or 1 for every layer");
  return element != boost::json::value(0);
}

}  // namespace

Result<ModelConfig> read_smollm3_config(const boost::json::object& config) {
  DecoderFamily family{.rope_theta = 2e6, .tie_word_embeddings = true, .num_kv_heads = 4};
  family.window = [](ConfigReader& keys) {
    return keys.flag("use_sliding_window", false) ? keys.natural("sliding_window", 0) : 0;
  };
  family.slides = [](ConfigReader& keys, int layer) { return !rotates(keys, layer); };
  Result<ModelConfig> c = read_decoder_config(config, family);
  if (!c) return c;
  ConfigReader keys(config);
  const auto no_rope_kind = static_cast<int>(c->ropes.size());
  for (int layer = 0; layer < c->num_layers; ++layer) {
    if (!rotates(keys, layer)) c->layers[layer].rope = no_rope_kind;
  }
  c->ropes.push_back(no_rope());
  if (const Status read = keys.status(); !read) return std::unexpected(read.error());
  return c;
}

}  // namespace ingot
