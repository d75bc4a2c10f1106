// Names both ways round and the row order.
#include "ingot/weights/name_map.h"

#include <gtest/gtest.h>

namespace ingot {
namespace {

TEST(NameMap, GgufToHuggingFace) {
  EXPECT_EQ(hugging_face_name("token_embd.weight"), "model.embed_tokens.weight");
  EXPECT_EQ(hugging_face_name("output.weight"), "lm_head.weight");
  EXPECT_EQ(hugging_face_name("output_norm.weight"), "model.norm.weight");
  EXPECT_EQ(hugging_face_name("blk.12.attn_output.weight"), "model.layers.12.self_attn.o_proj.weight");
  EXPECT_EQ(hugging_face_name("blk.0.attn_k.bias"), "model.layers.0.self_attn.k_proj.bias");
  EXPECT_EQ(hugging_face_name("rope_freqs.weight"), "");
  for (const char* name : {"", "output", "blk.0.weight", "blk..attn_q.weight", "blk.x.attn_q.weight", "blk.1.ssm_a",
                           "attn_q.weight", "blk.0.token_embd.weight", "output.scale"})
    EXPECT_EQ(hugging_face_name(name), std::nullopt) << name;
}

TEST(NameMap, PairedRowsGoBackToHalves) {
  EXPECT_TRUE(rows_are_paired("llama", "model.layers.0.self_attn.q_proj.weight"));
  EXPECT_TRUE(rows_are_paired("llama", "model.layers.0.self_attn.k_proj.bias"));
  EXPECT_TRUE(rows_are_paired("smollm3", "model.layers.3.self_attn.q_proj.weight"));
  EXPECT_FALSE(rows_are_paired("llama", "model.layers.0.self_attn.v_proj.weight"));
  EXPECT_FALSE(rows_are_paired("qwen2", "model.layers.0.self_attn.q_proj.weight"));
  EXPECT_FALSE(rows_are_paired("", "model.layers.0.self_attn.q_proj.weight"));
  const RowOrder order{.head_dim = 4};
  const int64_t stored[] = {0, 2, 1, 3, 4, 6, 5, 7};
  for (int64_t row = 0; row < 8; ++row) {
    EXPECT_EQ(order.stored(row), stored[row]);
    EXPECT_EQ(RowOrder().stored(row), row);
  }
}

}  // namespace
}  // namespace ingot
