// A decoder's shape: what at least two families share. The rest stays in the raw JSON, for the family's own file.
#pragma once

#include <memory>
#include <string>

#include <boost/json/object.hpp>

namespace ingot {

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
  double rope_theta = 1e4;
  int max_position_embeddings = 0;
  bool tie_word_embeddings = false;
  std::shared_ptr<const boost::json::object> raw;  // never null
};

}  // namespace ingot
