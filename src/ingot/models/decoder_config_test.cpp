// Shapes read from config.json: defaults of each family, windows and ropes by layer, refusals.
#include "ingot/models/decoder_config.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "ingot/models/registry.h"

namespace ingot {
namespace {

boost::json::object config(std::string_view changes = "{}", std::string_view architecture = "LlamaForCausalLM") {
  boost::json::value base = boost::json::parse(R"({"model_type": "llama",
    "vocab_size": 49152, "hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 6,
    "num_attention_heads": 9, "num_key_value_heads": 3, "rms_norm_eps": 1e-5, "rope_theta": 100000,
    "max_position_embeddings": 8192, "tie_word_embeddings": true})");
  base.as_object()["architectures"] = {architecture};
  const boost::json::value changed = boost::json::parse(changes);
  for (const auto& [key, value] : changed.as_object()) base.as_object()[key] = value;
  return base.as_object();
}

boost::json::object without(boost::json::object object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) object.erase(key);
  return object;
}

ModelConfig read(const boost::json::object& object) {
  Result<ModelConfig> c = find_architecture(object).value()->read_config(object);
  if (!c) throw std::runtime_error(c.error().message);
  return std::move(*c);
}

ModelConfig read(std::string_view architecture, std::string_view changes) {
  return read(config(changes, architecture));
}

std::vector<int> windows(const ModelConfig& c) {
  std::vector<int> all;
  for (const LayerConfig& layer : c.layers) all.push_back(layer.window);
  return all;
}

std::vector<int> ropes(const ModelConfig& c) {
  std::vector<int> all;
  for (const LayerConfig& layer : c.layers) all.push_back(layer.rope);
  return all;
}

using Ints = std::vector<int>;

TEST(DecoderConfig, ReadsALlama) {
  const ModelConfig c = read_decoder_config(config()).value();
  EXPECT_EQ(c.architecture, "LlamaForCausalLM");
  EXPECT_EQ(c.num_layers, 6);
  EXPECT_EQ(c.head_dim, 64);
  EXPECT_FLOAT_EQ(c.rms_norm_eps, 1e-5f);
  EXPECT_TRUE(c.tie_word_embeddings);
  EXPECT_FALSE(c.attention_bias);
  EXPECT_EQ(c.max_model_len, 8192);
  ASSERT_EQ(c.ropes.size(), 1u);
  EXPECT_EQ(c.ropes[0].inv_freq.size(), 32u);
  EXPECT_FLOAT_EQ(c.ropes[0].inv_freq[1], 0.697830584859866f);  // 1e5^(−2 / 64)
  EXPECT_EQ(windows(c), Ints(6, 0));
  EXPECT_EQ(ropes(c), Ints(6, 0));
}

TEST(DecoderConfig, NullHeadsAndNestedRope) {
  const ModelConfig c =
      read_decoder_config(
          config(R"({"num_key_value_heads": null, "head_dim": 128, "rope_parameters": {"rope_theta": 10000}})"))
          .value();
  EXPECT_EQ(c.num_kv_heads, 9);
  EXPECT_EQ(c.head_dim, 128);
  EXPECT_FLOAT_EQ(c.ropes[0].inv_freq[32], 0.01f);  // 10000^(−64 / 128): the nested θ wins
}

TEST(DecoderConfig, OmittedKeysTakeTheFamilysDefaults) {
  const auto bare = [](std::string_view architecture) {
    return read(without(config(R"({"num_attention_heads": 16, "hidden_size": 512})", architecture),
                        {"num_key_value_heads", "rope_theta", "tie_word_embeddings", "rms_norm_eps"}));
  };
  const ModelConfig llama = bare("LlamaForCausalLM"), mistral = bare("MistralForCausalLM"),
                    smollm3 = bare("SmolLM3ForCausalLM"), qwen3 = bare("Qwen3ForCausalLM");
  EXPECT_EQ(llama.num_kv_heads, 16);
  EXPECT_EQ(mistral.num_kv_heads, 8);
  EXPECT_EQ(smollm3.num_kv_heads, 4);
  EXPECT_EQ(llama.head_dim, 32);
  EXPECT_EQ(qwen3.head_dim, 128);
  EXPECT_FALSE(llama.tie_word_embeddings);
  EXPECT_TRUE(smollm3.tie_word_embeddings);
  EXPECT_FLOAT_EQ(llama.rms_norm_eps, 1e-6f);
  EXPECT_FLOAT_EQ(llama.ropes[0].inv_freq[8], 0.01f);                  // θ 1e4
  EXPECT_FLOAT_EQ(smollm3.ropes[0].inv_freq[8], 7.0710678118655e-4f);  // θ 2e6
  EXPECT_EQ(read("Qwen3ForCausalLM", R"({"head_dim": null})").head_dim, 64);
}

TEST(DecoderConfig, MistralsWindowIs4096UnlessTheFileSaysOtherwise) {
  EXPECT_EQ(windows(read("MistralForCausalLM", "{}")), Ints(6, 4096));
  EXPECT_EQ(windows(read("MistralForCausalLM", R"({"sliding_window": null})")), Ints(6, 0));
  EXPECT_EQ(windows(read("MistralForCausalLM", R"({"sliding_window": 100})")), Ints(6, 100));
  EXPECT_EQ(windows(read("LlamaForCausalLM", R"({"sliding_window": 100})")), Ints(6, 100));
  EXPECT_EQ(windows(read("Ministral3ForCausalLM", "{}")), Ints(6, 0));
}

TEST(DecoderConfig, QwensWindowNeedsItsSwitch) {
  for (const char* qwen : {"Qwen2ForCausalLM", "Qwen3ForCausalLM"}) {
    EXPECT_EQ(windows(read(qwen, R"({"sliding_window": 100, "max_window_layers": 2})")), Ints(6, 0));
    EXPECT_EQ(windows(read(qwen, R"({"use_sliding_window": true, "sliding_window": 100, "max_window_layers": 4})")),
              Ints({0, 0, 0, 0, 100, 100}));
    EXPECT_EQ(windows(read(qwen, R"({"use_sliding_window": true, "sliding_window": 100})")), Ints(6, 0))
        << "28 layers are full";
    EXPECT_EQ(windows(read(qwen, R"({"use_sliding_window": true, "sliding_window": null, "max_window_layers": 0})")),
              Ints(6, 0));
    EXPECT_EQ(windows(read(qwen, R"({"use_sliding_window": true, "sliding_window": 9, "layer_types":
      ["full_attention", "sliding_attention", "full_attention", "full_attention", "sliding_attention",
       "full_attention", "sliding_attention"]})")),
              Ints({0, 9, 0, 0, 9, 0}))
        << "a longer list is cut";
  }
}

TEST(DecoderConfig, SmolLM3LeavesLayersWithoutRope) {
  const ModelConfig every_fourth = read("SmolLM3ForCausalLM", "{}");
  EXPECT_EQ(ropes(every_fourth), Ints({0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(every_fourth.ropes[1].inv_freq, std::vector<float>{0.0f});
  EXPECT_EQ(ropes(read("SmolLM3ForCausalLM", R"({"no_rope_layer_interval": 3})")), Ints({0, 0, 1, 0, 0, 1}));
  const ModelConfig listed = read("SmolLM3ForCausalLM", R"({"no_rope_layers": [0, 1, 1, 0, 1, 1, 0],
    "no_rope_layer_interval": 2, "sliding_window": 64, "use_sliding_window": true})");
  EXPECT_EQ(ropes(listed), Ints({1, 0, 0, 1, 0, 0}));
  EXPECT_EQ(windows(listed), Ints({64, 0, 0, 64, 0, 0}));
  EXPECT_EQ(windows(read("SmolLM3ForCausalLM", R"({"sliding_window": 64})")), Ints(6, 0));
}

TEST(DecoderConfig, RopesMayDifferByTheLayersType) {
  const ModelConfig c = read("Qwen2ForCausalLM", R"({"use_sliding_window": true, "sliding_window": 9,
    "max_window_layers": 3, "rope_parameters": {
      "full_attention": {"rope_type": "linear", "factor": 4, "rope_theta": 10000},
      "sliding_attention": {"rope_type": "default", "rope_theta": 10000}}})");
  EXPECT_EQ(ropes(c), Ints({0, 0, 0, 1, 1, 1}));
  EXPECT_FLOAT_EQ(c.ropes[0].inv_freq[0], 0.25f);
  EXPECT_FLOAT_EQ(c.ropes[1].inv_freq[0], 1.0f);
  const ModelConfig null = read("Qwen2ForCausalLM", R"({"use_sliding_window": true, "sliding_window": 9,
    "max_window_layers": 3, "rope_parameters": {"full_attention": null, "sliding_attention": {}}})");
  EXPECT_EQ(null.ropes[0].inv_freq, std::vector<float>{0.0f});
}

TEST(DecoderConfig, ScalingReachesFurther) {
  const auto reach = [](std::string_view changes) { return read("LlamaForCausalLM", changes).max_model_len; };
  EXPECT_EQ(reach(R"({"rope_scaling": {"type": "linear", "factor": 2.5}})"), 20480);
  EXPECT_EQ(reach(R"({"rope_scaling": {"type": "dynamic", "factor": 2}})"), 16384);
  EXPECT_EQ(reach(R"({"rope_scaling": {"type": "yarn", "factor": 4, "original_max_position_embeddings": 4096}})"),
            16384);
  EXPECT_EQ(reach(R"({"rope_scaling": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4,
                      "original_max_position_embeddings": 1024}})"),
            8192);
}

TEST(DecoderConfig, NamesTheKeyAtFault) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"hidden_size": 0})", "hidden_size"},
      {R"({"num_hidden_layers": "thirty"})", "num_hidden_layers"},
      {R"({"vocab_size": 1e30})", "vocab_size"},
      {R"({"num_key_value_heads": 2})", "num_key_value_heads"},
      {R"({"rms_norm_eps": -1})", "rms_norm_eps"},
      {R"({"tie_word_embeddings": 1})", "tie_word_embeddings"},
      {R"({"intermediate_size": null})", "intermediate_size"},
      {R"({"rope_parameters": {"rope_theta": 0}})", "rope_parameters.rope_theta"},
      {R"({"rope_parameters": []})", "rope_parameters"},
      {R"({"rope_scaling": {"type": "linear"}})", "rope_scaling.factor"},
      {R"({"rope_scaling": {"type": "linear", "factor": -2}})", "rope_scaling.factor"},
      {R"({"rope_scaling": {"type": "longrope", "short_factor": [1, 2], "long_factor": [1]}})", "short_factor"},
      {R"({"rope_scaling": {"type": "longrope", "short_factor": 1}})", "short_factor"},
      {R"({"rope_scaling": {"type": "llama3", "factor": 8, "low_freq_factor": 4}})", "high_freq_factor"},
      {R"({"rope_parameters": {"sliding_attention": {}}})", "rope_parameters.full_attention"},
      {R"({"partial_rotary_factor": 1.5})", "partial_rotary_factor"},
      {R"({"partial_rotary_factor": 0.01})", "partial_rotary_factor"},
      {R"({"sliding_window": -1})", "sliding_window"},
      {R"({"layer_types": ["full_attention"]})", "layer_types"},
      {R"({"layer_types": [1, 2, 3, 4, 5, 6]})", "layer_types"},
      {R"({"attention_bias": "yes"})", "attention_bias"},
  };
  for (const auto& [changes, key] : cases) {
    const auto c = read_decoder_config(config(changes), {.slides = [](ConfigReader&, int) { return false; }});
    ASSERT_FALSE(c.has_value()) << changes;
    EXPECT_NE(c.error().message.find(key), std::string::npos) << c.error().message;
    EXPECT_NE(c.error().code, ErrorCode::kInternal);
  }
  EXPECT_FALSE(find_architecture(config("{}", "SmolLM3ForCausalLM"))
                   .value()
                   ->read_config(config(R"({"no_rope_layers": [1, 0]})")));
}

TEST(DecoderConfig, RefusesByNameWhatNobodyReads) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"rope_scaling": {"rope_type": "mrope", "mrope_section": [16, 24, 24]}})", "mrope_section"},
      {R"({"rope_scaling": {"rope_type": "dynamic", "factor": 2, "alpha": 1000}})", "alpha"},
      {R"({"rope_parameters": {"rope_type": "proportional"}})", "proportional"},
      {R"({"hidden_act": "gelu"})", "gelu"},
      {R"({"layer_types": ["chunked_attention"]})", "chunked_attention"},
  };
  for (const auto& [changes, name] : cases) {
    const auto c = read_decoder_config(config(changes));
    ASSERT_FALSE(c.has_value()) << changes;
    EXPECT_EQ(c.error().code, ErrorCode::kUnsupported) << c.error().message;
    EXPECT_NE(c.error().message.find(name), std::string::npos) << c.error().message;
  }
  EXPECT_TRUE(read_decoder_config(
      config(R"({"rope_scaling": null, "attention_bias": false, "rope_parameters": {"rope_type": "default"}})")));
}

TEST(Registry, FindsByNameAndListsWhatThereIs) {
  EXPECT_EQ(find_architecture(config()).value()->name, "LlamaForCausalLM");
  const auto unknown = find_architecture(config("{}", "MambaForCausalLM"));
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(unknown.error().message.find("MambaForCausalLM"), std::string::npos);
  EXPECT_NE(unknown.error().message.find("LlamaForCausalLM"), std::string::npos);
}

}  // namespace
}  // namespace ingot
