// Shapes read from config.json, defaults and refusals.
#include "ingot/models/config_reader.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "ingot/models/registry.h"

namespace ingot {
namespace {

boost::json::object config(std::string_view changes = "{}") {
  boost::json::value base = boost::json::parse(R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama",
    "vocab_size": 49152, "hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30,
    "num_attention_heads": 9, "num_key_value_heads": 3, "rms_norm_eps": 1e-5, "rope_theta": 100000,
    "max_position_embeddings": 8192, "tie_word_embeddings": true})");
  const boost::json::value changed = boost::json::parse(changes);
  for (const auto& [key, value] : changed.as_object()) base.as_object()[key] = value;
  return base.as_object();
}

TEST(ConfigReader, ReadsALlama) {
  const ModelConfig c = read_decoder_config(config()).value();
  EXPECT_EQ(c.architecture, "LlamaForCausalLM");
  EXPECT_EQ(c.num_layers, 30);
  EXPECT_EQ(c.head_dim, 64);
  EXPECT_FLOAT_EQ(c.rms_norm_eps, 1e-5f);
  EXPECT_DOUBLE_EQ(c.rope_theta, 1e5);
  EXPECT_TRUE(c.tie_word_embeddings);
}

TEST(ConfigReader, NullHeadsAndNestedRope) {
  const ModelConfig c =
      read_decoder_config(
          config(R"({"num_key_value_heads": null, "head_dim": 128, "rope_parameters": {"rope_theta": 5e5}})"))
          .value();
  EXPECT_EQ(c.num_kv_heads, 9);
  EXPECT_EQ(c.head_dim, 128);
  EXPECT_DOUBLE_EQ(c.rope_theta, 5e5);
}

TEST(ConfigReader, NamesTheKeyAtFault) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"hidden_size": 0})", "hidden_size"},
      {R"({"num_hidden_layers": "thirty"})", "num_hidden_layers"},
      {R"({"vocab_size": 1e30})", "vocab_size"},
      {R"({"num_key_value_heads": 2})", "num_key_value_heads"},
      {R"({"rms_norm_eps": -1})", "rms_norm_eps"},
      {R"({"tie_word_embeddings": 1})", "tie_word_embeddings"},
      {R"({"intermediate_size": null})", "intermediate_size"},
      {R"({"rope_parameters": {"rope_theta": 0}})", "rope_theta"},
  };
  for (const auto& [changes, key] : cases) {
    const auto c = read_decoder_config(config(changes));
    ASSERT_FALSE(c.has_value()) << changes;
    EXPECT_NE(c.error().message.find(key), std::string::npos) << c.error().message;
  }
}

TEST(ConfigReader, RefusesWhatNoFamilyReadsYet) {
  for (const char* changes :
       {R"({"rope_scaling": {"rope_type": "llama3", "factor": 8}})", R"({"sliding_window": 4096})",
        R"({"attention_bias": true})", R"({"rope_parameters": {"rope_type": "yarn"}})"}) {
    const auto c = read_decoder_config(config(changes));
    ASSERT_FALSE(c.has_value()) << changes;
    EXPECT_EQ(c.error().code, ErrorCode::kUnsupported);
  }
  EXPECT_TRUE(read_decoder_config(
      config(R"({"rope_scaling": null, "attention_bias": false, "rope_parameters": {"rope_type": "default"}})")));
}

TEST(Registry, FindsByNameAndListsWhatThereIs) {
  EXPECT_EQ(find_architecture(config()).value()->name, "LlamaForCausalLM");
  const auto unknown = find_architecture(config(R"({"architectures": ["MambaForCausalLM"]})"));
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(unknown.error().message.find("MambaForCausalLM"), std::string::npos);
  EXPECT_NE(unknown.error().message.find("LlamaForCausalLM"), std::string::npos);
}

}  // namespace
}  // namespace ingot
