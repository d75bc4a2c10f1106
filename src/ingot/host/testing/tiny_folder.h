// A model folder small enough to open in a moment: a Llama of one layer with random weights, and the tests' tokenizer.
#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "ingot/checkpoint/testing/safetensors_builder.h"

namespace ingot::testing {

inline constexpr std::string_view kTinyModelConfig = R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama",
  "vocab_size": 400, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 1, "num_attention_heads": 2,
  "num_key_value_heads": 1, "head_dim": 32, "rms_norm_eps": 1e-5, "rope_theta": 10000, "max_position_embeddings": 256,
  "tie_word_embeddings": true, "eos_token_id": 2, "dtype": "float32"})";

inline std::vector<float> random_floats(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-0.2f, 0.2f);
  std::vector<float> values(count);
  for (float& value : values) value = uniform(random);
  return values;
}

inline SafetensorsBuilder tiny_model_weights() {
  SafetensorsBuilder file;
  uint32_t seed = 1;
  const auto matrix = [&](const std::string& name, int64_t out, int64_t in) {
    file.tensor(name + ".weight", {out, in}, random_floats(static_cast<size_t>(out * in), seed++));
  };
  const auto scale = [&](const std::string& name) {
    file.tensor(name + ".weight", {64}, std::vector<float>(64, 1.0f));
  };
  const std::string layer = "model.layers.0.";
  matrix("model.embed_tokens", 400, 64);
  matrix(layer + "self_attn.q_proj", 64, 64);
  matrix(layer + "self_attn.k_proj", 32, 64);
  matrix(layer + "self_attn.v_proj", 32, 64);
  matrix(layer + "self_attn.o_proj", 64, 64);
  matrix(layer + "mlp.gate_proj", 96, 64);
  matrix(layer + "mlp.up_proj", 96, 64);
  matrix(layer + "mlp.down_proj", 64, 96);
  scale(layer + "input_layernorm");
  scale(layer + "post_attention_layernorm");
  scale("model.norm");
  return file;
}

// Config, tokenizer and weights, complete.
inline void write_tiny_model(const TempFolder& folder) {
  std::ostringstream tokenizer;
  tokenizer << std::ifstream(INGOT_SOURCE_DIR "/tests/fixtures/tiny_tokenizer.json").rdbuf();
  folder.write("config.json", kTinyModelConfig);
  folder.write("tokenizer.json", tokenizer.str());
  folder.write("model.safetensors", tiny_model_weights().build());
}

}  // namespace ingot::testing
