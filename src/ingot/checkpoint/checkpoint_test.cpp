// Opening a path: the whole road on a small file, and what is refused before any reading.
#include "ingot/checkpoint/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingot/checkpoint/testing/gguf_builder.h"
#include "ingot/checkpoint/testing/safetensors_builder.h"

namespace ingot {
namespace {

using ::testing::HasSubstr;
using testing::TempFile;

std::filesystem::path temp(const std::string& name) { return std::filesystem::path(::testing::TempDir()) / name; }

TEST(Checkpoint, OpensGguf) {
  const TempFile file(temp("checkpoint_test.gguf"), testing::tiny_llama().build());
  const auto checkpoint = open_checkpoint(file.path());
  ASSERT_TRUE(checkpoint) << checkpoint.error().message;
  const Checkpoint& c = **checkpoint;
  EXPECT_EQ(c.gguf_architecture(), "llama");
  EXPECT_EQ(c.tensors().size(), 2u);
  ASSERT_NE(c.find("output_norm.weight"), nullptr);
  EXPECT_EQ(c.find("absent"), nullptr);
  EXPECT_EQ(c.config().at("hidden_size"), 8);
  EXPECT_EQ(c.tokenizer_config().at("eos_token"), "<s>");
  EXPECT_EQ(c.chat_template(), "{{ messages[0].content }}<|im_end|>");
  EXPECT_TRUE(c.tokenizer_json());

  const Tensor& norm = *c.find("output_norm.weight");
  float first = 0;
  c.drop_pages(norm);
  std::memcpy(&first, norm.data.data(), sizeof(first));
  EXPECT_EQ(first, 2.0f);
}

TEST(Checkpoint, RefusesPathsByName) {
  const auto missing = open_checkpoint("/nowhere/model.gguf");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("/nowhere/model.gguf"));
  EXPECT_EQ(open_checkpoint("/dev/null").error().code, ErrorCode::kInvalidArgument);
  const TempFile empty(temp("empty.gguf"), {});
  EXPECT_EQ(open_checkpoint(empty.path()).error().code, ErrorCode::kCorrupt);
}

TEST(Checkpoint, users_86_ambiguous_folders_by_name) {
  const testing::TempFolder folder(temp("checkpoint_test_folder"));
  EXPECT_EQ(open_checkpoint(folder.path()).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(open_checkpoint(folder.path(), {.format = LoadFormat::kGguf}).error().code, ErrorCode::kNotFound);
  folder.write("a.gguf", testing::tiny_llama().build());
  EXPECT_EQ(open_checkpoint(folder.path()).value()->gguf_architecture(), "llama");
  folder.write("b.gguf", testing::tiny_llama().build());
  EXPECT_THAT(open_checkpoint(folder.path()).error().message, HasSubstr("name one: a.gguf, b.gguf"));
  folder.write("config.json", testing::kTinyConfig);
  folder.write("model.safetensors", testing::tiny_safetensors().build());
  EXPECT_EQ(open_checkpoint(folder.path()).value()->gguf_architecture(), "");
  EXPECT_EQ(open_checkpoint(folder.path() / "a.gguf").value()->gguf_architecture(), "llama");
  EXPECT_THAT(open_checkpoint(folder.path() / "model.safetensors").error().message, HasSubstr("by their folder"));
  EXPECT_EQ(open_checkpoint(folder.path() / "a.gguf", {.format = LoadFormat::kSafetensors}).error().code,
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace ingot
