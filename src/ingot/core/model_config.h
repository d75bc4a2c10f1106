// A decoder's shape: what at least two families share. The rest stays in the raw JSON, for the family's own file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

namespace ingot {

// Rotary positions of one kind of layers: pair i turns by position · inv_freq[i], and its cosine and sine are
// multiplied by `scale`; those of queries at position p also by 1 + query_growth · ln(1 + ⌊p / query_period⌋).
struct RopeConfig {
  std::vector<float> inv_freq;       // one for every rotated pair of channels, the first of a head
  std::vector<float> long_inv_freq;  // longrope: in place of inv_freq where requests may outgrow short_len; else empty
  int short_len = 0;
  float scale = 1.0f;
  float query_growth = 0.0f;
  int query_period = 1;

  // The choice holds for the life of a server: keys in the cache were turned by it.
  const std::vector<float>& frequencies(int max_model_len) const {
    return !long_inv_freq.empty() && max_model_len > short_len ? long_inv_freq : inv_freq;
  }
  bool operator==(const RopeConfig&) const = default;
};

// What attention does otherwise from layer to layer.
struct LayerConfig {
  int window = 0;  // tokens that a query sees, itself included; 0 = all
  int rope = 0;    // index into ModelConfig::ropes
};

struct ModelConfig {
  std::string architecture;  // "LlamaForCausalLM"
  std::string model_type;    // "llama"
  int vocab_size = 0;
  int hidden_size = 0;
  int intermediate_size = 0;
  int num_layers = 0;
  int num_heads = 0;
  int num_kv_heads = 0;
  int head_dim = 0;
  float rms_norm_eps = 1e-6f;
  bool tie_word_embeddings = false;
  bool attention_bias = false;  // of the projections to queries, keys, values and out of attention
  bool mlp_bias = false;
  std::vector<RopeConfig> ropes;    // kinds; the first is the model's usual one
  std::vector<LayerConfig> layers;  // num_layers of them
  int max_model_len = 0;  // tokens that a request may reach: as config.json allows, until the host settles for fewer
  std::shared_ptr<const boost::json::object> raw;  // never null
};

}  // namespace ingot
