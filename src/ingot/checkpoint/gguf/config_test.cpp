// GGUF metadata in Hugging Face's words.
#include "ingot/checkpoint/gguf/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingot/checkpoint/gguf/gguf_file.h"
#include "ingot/checkpoint/gguf/token_list.h"
#include "ingot/checkpoint/testing/gguf_builder.h"

namespace ingot::gguf {
namespace {

using testing::GgufBuilder;
using ::testing::HasSubstr;

boost::json::object config_of(const GgufBuilder& builder) {
  const auto bytes = builder.build();
  const GgufFile file = parse(bytes);
  return model_config(file, TokenList(file.metadata));
}

boost::json::object generation_of(const GgufBuilder& builder) {
  const auto bytes = builder.build();
  const GgufFile file = parse(bytes);
  return generation_config(file.metadata, TokenList(file.metadata));
}

std::string refusal(const GgufBuilder& builder) {
  try {
    config_of(builder);
  } catch (const FormatError& e) {
    return e.what();
  }
  return "";
}

TEST(ModelConfig, Llama) {
  EXPECT_EQ(config_of(testing::tiny_llama()), boost::json::parse(R"({
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 8, "num_attention_heads": 2,
    "num_key_value_heads": 1, "head_dim": 4, "intermediate_size": 16, "num_hidden_layers": 1, "hidden_act": "silu",
    "rms_norm_eps": 9.999999747378752e-6, "rope_theta": 10000.0, "max_position_embeddings": 64, "vocab_size": 8,
    "tie_word_embeddings": true, "attention_bias": false, "dtype": "float32", "bos_token_id": 0, "eos_token_id": 0})"));
}

TEST(ModelConfig, HeadOfItsOwnUnties) {
  auto file = testing::tiny_llama();
  file.tensor("output.weight", {8, 8}, std::vector<float>(64));
  EXPECT_FALSE(config_of(file).at("tie_word_embeddings").as_bool());
}

TEST(ModelConfig, WhatFamiliesMustNotOverlook) {
  auto file = testing::tiny_llama();
  file.add("llama.attention.sliding_window", 16u).add("llama.rope.dimension_count", 2u).add("llama.expert_count", 0u);
  EXPECT_EQ(config_of(file).at("sliding_window"), 16);
  EXPECT_EQ(config_of(file).at("partial_rotary_factor"), 0.5);
}

TEST(ModelConfig, RopeScaling) {
  auto linear = testing::tiny_llama();
  linear.add("llama.rope.scaling.type", "linear").add("llama.rope.scaling.factor", 4.0f);
  EXPECT_EQ(config_of(linear).at("rope_scaling"), boost::json::parse(R"({"rope_type": "linear", "factor": 4.0})"));
  auto factors = testing::tiny_llama();
  factors.tensor("rope_freqs.weight", {2}, {1.0f, 8.0f});
  EXPECT_EQ(config_of(factors).at("rope_scaling"),
            boost::json::parse(R"({"rope_type": "factors", "factors": [1.0, 8.0]})"));
}

TEST(ModelConfig, RefusesByName) {
  EXPECT_THAT(refusal(testing::tiny_llama_metadata()), HasSubstr("'token_embd.weight' is missing"));
  EXPECT_THAT(refusal(GgufBuilder()), HasSubstr("general.architecture is missing"));
  GgufBuilder other;
  EXPECT_THAT(refusal(other.add("general.architecture", "mamba")), HasSubstr("architecture 'mamba'"));
  GgufBuilder bare;
  EXPECT_THAT(refusal(bare.add("general.architecture", "llama")), HasSubstr("llama.embedding_length is missing"));
  EXPECT_THAT(refusal(testing::tiny_llama().add("llama.expert_count", 8u)), HasSubstr("mixture of experts"));
  EXPECT_THAT(refusal(testing::tiny_llama().add("llama.attention.value_length", 5u)), HasSubstr("another length"));
  EXPECT_THAT(refusal(testing::tiny_llama().add("llama.rope.dimension_count", 5u)), HasSubstr("above the head's 4"));
}

TEST(GenerationConfig, users_40_every_end_of_turn) {
  EXPECT_EQ(generation_of(testing::tiny_llama()), boost::json::parse(R"({"bos_token_id": 0, "eos_token_id": [0, 1]})"));
  auto file = testing::tiny_llama();
  file.add("tokenizer.ggml.eot_token_id", 4u);
  EXPECT_EQ(generation_of(file).at("eos_token_id"), boost::json::parse("[0, 4, 1]"));
}

TEST(GenerationConfig, RefusesIdsOutsideTheVocabulary) {
  for (const int32_t id : {-1, 8, 1 << 30}) {
    auto file = testing::tiny_llama();
    file.add("tokenizer.ggml.eot_token_id", id);
    EXPECT_THAT(refusal(file), HasSubstr("tokenizer.ggml.eot_token_id is"));
  }
}

}  // namespace
}  // namespace ingot::gguf
