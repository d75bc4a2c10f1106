// Shapes from the config alone, the same numbers for the same seed.
#include "ingot/checkpoint/dummy/dummy_checkpoint.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingot/checkpoint/testing/safetensors_builder.h"

namespace ingot {
namespace {

using ::testing::HasSubstr;
using Shape = std::vector<int64_t>;

class Dummy : public ::testing::Test {
 protected:
  Dummy() : folder_(std::filesystem::path(::testing::TempDir()) / "ingot_dummy_test") {
    folder_.write("config.json", testing::kTinyConfig);
  }
  std::unique_ptr<Checkpoint> open(uint64_t seed = 0, const boost::json::object& changes = {}) {
    auto checkpoint = open_checkpoint(folder_.path(), {LoadFormat::kDummy, changes, seed});
    if (!checkpoint) throw std::runtime_error(checkpoint.error().message);
    return std::move(*checkpoint);
  }
  testing::TempFolder folder_;
};

TEST_F(Dummy, ShapesFollowTheConfig) {
  const auto checkpoint = open();
  const auto shape = [&](const std::string& name) {
    const Tensor* const tensor = checkpoint->find(name);
    return tensor ? tensor->shape : Shape{};
  };
  EXPECT_EQ(shape("model.embed_tokens.weight"), (Shape{8, 8}));
  EXPECT_EQ(shape("model.layers.0.self_attn.q_proj.weight"), (Shape{8, 8}));
  EXPECT_EQ(shape("model.layers.0.self_attn.k_proj.weight"), (Shape{4, 8}));
  EXPECT_EQ(shape("model.layers.0.self_attn.v_proj.bias"), (Shape{4}));
  EXPECT_EQ(shape("model.layers.0.self_attn.q_norm.weight"), (Shape{4}));
  EXPECT_EQ(shape("model.layers.0.mlp.down_proj.weight"), (Shape{8, 16}));
  EXPECT_EQ(shape("model.layers.0.mlp.gate_up_proj.weight"), (Shape{32, 8}));
  EXPECT_EQ(shape("model.layers.0.input_layernorm.weight"), (Shape{8}));
  for (const char* name : {"lm_head.weight", "model.layers.1.mlp.up_proj.weight", "model.layers.-1.mlp.up_proj.weight",
                           "model.layers.0.strange.weight", "model.layers.0", "x", "", ".weight", "model.norm.scale"})
    EXPECT_EQ(checkpoint->find(name), nullptr) << name;
  EXPECT_NE(open(0, {{"tie_word_embeddings", false}})->find("lm_head.weight"), nullptr);
}

std::vector<std::byte> bytes_of(const Checkpoint& checkpoint, std::string_view name) {
  const auto data = checkpoint.find(name)->data;
  return {data.begin(), data.end()};
}

TEST_F(Dummy, NumbersFollowSeedAndName) {
  constexpr auto kName = "model.layers.0.mlp.down_proj.weight";
  const auto one = bytes_of(*open(1), kName);
  EXPECT_EQ(one.size(), 8u * 16 * 2);
  EXPECT_EQ(bytes_of(*open(1), kName), one);
  EXPECT_NE(bytes_of(*open(2), kName), one);
  EXPECT_NE(bytes_of(*open(1), "model.layers.0.mlp.up_proj.weight"), one);
  const auto scales = bytes_of(*open(1), "model.norm.weight");
  EXPECT_EQ(scales[1], std::byte{0x3F});
}

TEST_F(Dummy, ConfigsAtFaultAreRefusedByKey) {
  const auto refusal = [&](const boost::json::object& changes) {
    return open_checkpoint(folder_.path(), {LoadFormat::kDummy, changes, 0}).error().message;
  };
  EXPECT_THAT(refusal({{"hidden_size", 0}}), HasSubstr("hidden_size is 0"));
  EXPECT_THAT(refusal({{"vocab_size", 1e9}}), HasSubstr("vocab_size"));
  EXPECT_THAT(refusal({{"num_attention_heads", "two"}}), HasSubstr("num_attention_heads"));
  EXPECT_THAT(refusal({{"num_hidden_layers", nullptr}}), HasSubstr("num_hidden_layers is null"));
}

}  // namespace
}  // namespace ingot
