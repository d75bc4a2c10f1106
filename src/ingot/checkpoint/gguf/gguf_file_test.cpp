// What the GGUF reader takes and what it refuses; a heap buffer of exactly the file's size shows each stray read.
#include "ingot/checkpoint/gguf/gguf_file.h"

#include <cstring>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingot/checkpoint/gguf/config.h"
#include "ingot/checkpoint/gguf/tokenizer_json.h"
#include "ingot/checkpoint/testing/gguf_builder.h"
#include "ingot/checkpoint/testing/mutate.h"
#include "ingot/checkpoint/testing/refusal.h"

namespace ingot::gguf {
namespace {

using testing::GgufBuilder;
using ::testing::HasSubstr;

FormatError refusal(const std::vector<std::byte>& bytes) {
  return testing::refusal([](const std::vector<std::byte>& file) { parse(file); }, bytes);
}

void expect_refused(const GgufBuilder& file, ErrorCode code, const std::string& words) {
  const FormatError error = refusal(file.build());
  EXPECT_EQ(error.code, code) << error.what();
  EXPECT_THAT(error.what(), HasSubstr(words));
}

void put(std::vector<std::byte>& bytes, size_t at, uint64_t value) { std::memcpy(&bytes[at], &value, sizeof(value)); }

TEST(GgufFile, ReadsTensorsWithShapeAndBytes) {
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const std::vector<std::byte> q8(68, std::byte{7});
  const auto bytes = GgufBuilder().tensor("a", {3, 2}, values).tensor("b", 8, {64}, q8).build();
  const GgufFile file = parse(bytes);
  ASSERT_EQ(file.tensors.size(), 2u);
  EXPECT_EQ(file.tensors[0].name, "a");
  EXPECT_EQ(file.tensors[0].type, ElementType::kF32);
  EXPECT_EQ(file.tensors[0].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(std::memcmp(file.tensors[0].data.data(), values.data(), 24), 0);
  EXPECT_EQ(file.tensors[0].data.size(), 24u);
  EXPECT_EQ(file.tensors[1].data.size(), 68u);
}

TEST(GgufFile, ReadsVersion2AndOtherAlignments) {
  GgufBuilder file;
  file.version = 2;
  file.alignment = 1;
  file.add("general.alignment", 1u).tensor("a", {3}, {1, 2, 3}).tensor("b", {1}, {4});
  const auto bytes = file.build();
  EXPECT_EQ(parse(bytes).tensors[1].data.size(), 4u);
}

TEST(GgufFile, RefusesOtherFiles) {
  EXPECT_THAT(refusal({}).what(), HasSubstr("not a GGUF file"));
  EXPECT_THAT(refusal(std::vector<std::byte>(100, std::byte{'G'})).what(), HasSubstr("not a GGUF file"));
  GgufBuilder file;
  file.version = 1;
  expect_refused(file, ErrorCode::kUnsupported, "version 1");
  file.version = 4;
  expect_refused(file, ErrorCode::kUnsupported, "version 4");
  file.version = 3u << 24;
  expect_refused(file, ErrorCode::kUnsupported, "big-endian");
}

TEST(GgufFile, users_83_offset_wraps) {
  for (const uint64_t offset : {1ull << 63, ~31ull, 64ull, ~0ull & ~31ull})
    expect_refused(GgufBuilder().tensor("a", {8}, std::vector<float>(8)).claim("b", 0, {8}, offset),
                   ErrorCode::kCorrupt, "tensor 'b' claims 32 bytes");
  expect_refused(GgufBuilder().tensor("a", {8}, std::vector<float>(8)).claim("b", 0, {8}, 4), ErrorCode::kCorrupt,
                 "not a multiple of 32");
}

TEST(GgufFile, users_83_dims_wrap) {
  for (const auto& dims : std::vector<std::vector<uint64_t>>{
           {1ull << 42, 1ull << 42}, {1ull << 42}, {1ull << 63, 2}, {1ull << 62, 1}, {~0ull}, {0, 4}, {4, 0}})
    expect_refused(GgufBuilder().claim("a", 0, dims, 0), ErrorCode::kCorrupt, "tensor 'a'");
  for (const uint32_t type : {2u, 3u, 8u})
    expect_refused(GgufBuilder().claim("a", type, {1ull << 63, 1}, 0), ErrorCode::kCorrupt, "tensor 'a'");
  expect_refused(GgufBuilder().claim("a", 3, {48}, 0), ErrorCode::kCorrupt, "comes in blocks of 32");
}

TEST(GgufFile, users_83_dimension_count) {
  expect_refused(GgufBuilder().claim("a", 0, std::vector<uint64_t>(9, 1), 0), ErrorCode::kCorrupt, "9 dimensions");
  expect_refused(GgufBuilder().claim("a", 0, {}, 0), ErrorCode::kCorrupt, "0 dimensions");
}

TEST(GgufFile, users_83_alignment) {
  for (const uint32_t alignment : {0u, 3u, 33u, ~0u})
    expect_refused(GgufBuilder().add("general.alignment", alignment), ErrorCode::kCorrupt, "general.alignment");
  expect_refused(GgufBuilder().add("general.alignment", -32), ErrorCode::kCorrupt, "general.alignment is -32");
  expect_refused(GgufBuilder().add("general.alignment", "32"), ErrorCode::kCorrupt, "must be an integer");
}

TEST(GgufFile, users_83_string_length) {
  const auto whole = GgufBuilder().add("key", "value").build();
  for (const size_t at : {size_t{24}, size_t{24 + 8 + 3 + 4}})
    for (const uint64_t length : {1ull << 60, ~0ull, 1ull << 63, 1000ull}) {
      auto bytes = whole;
      put(bytes, at, length);
      EXPECT_EQ(refusal(bytes).code, ErrorCode::kCorrupt);
    }
}

TEST(GgufFile, users_83_counts) {
  const auto whole = GgufBuilder().add("key", std::vector<int32_t>{1, 2}).tensor("a", {1}, {1}).build();
  const size_t array_count = 24 + 8 + 3 + 4 + 4;
  for (const size_t at : {size_t{8}, size_t{16}, array_count})
    for (const uint64_t count : {1ull << 60, ~0ull, 1ull << 62, 5000ull}) {
      auto bytes = whole;
      put(bytes, at, count);
      EXPECT_EQ(refusal(bytes).code, ErrorCode::kCorrupt);
    }
}

TEST(GgufFile, users_83_truncated_anywhere) {
  const auto whole = testing::tiny_llama().build();
  EXPECT_EQ(parse(whole).tensors.size(), 2u);
  // The file ends with the last tensor's data, so every shorter one lacks something.
  for (size_t length = 0; length < whole.size(); ++length) {
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<long>(length));
    EXPECT_EQ(refusal(cut).code, ErrorCode::kCorrupt) << length;
  }
}

TEST(GgufFile, users_86_unread_types_and_split_files_by_name) {
  // Whether a tensor of a type that is not read is needed shows when the weights are loaded (weights_test.cpp).
  const auto bytes = GgufBuilder().tensor("blk.3.attn_v.weight", 12, {256}, std::vector<std::byte>(144)).build();
  EXPECT_EQ(element_type_name(parse(bytes).tensors.at(0).type), "Q4_K");
  expect_refused(GgufBuilder().claim("x", 77, {256}, 0), ErrorCode::kUnsupported, "unknown type 77");
  expect_refused(GgufBuilder().add("split.count", 3u), ErrorCode::kUnsupported, "one of 3 parts");
}

TEST(GgufFile, RefusesRepeatedNamesAndOverlaps) {
  expect_refused(GgufBuilder().add("k", 1u).add("k", 2u), ErrorCode::kCorrupt, "metadata 'k' appears twice");
  expect_refused(GgufBuilder().tensor("a", {1}, {1}).tensor("a", {1}, {1}), ErrorCode::kCorrupt,
                 "tensor 'a' appears twice");
  expect_refused(GgufBuilder().tensor("a", {16}, std::vector<float>(16)).claim("b", 0, {8}, 32), ErrorCode::kCorrupt,
                 "tensors 'a' and 'b' overlap");
  expect_refused(GgufBuilder().add("", 1u), ErrorCode::kCorrupt, "metadata key 0");
  expect_refused(GgufBuilder().add("\xff", 1u), ErrorCode::kCorrupt, "'\\xff'");
}

// Reads everything that a load reads. Either it succeeds or it throws FormatError; the sanitizers watch the rest.
bool loads(const std::vector<std::byte>& bytes) {
  try {
    const GgufFile file = parse(bytes);
    const TokenList tokens(file.metadata);
    model_config(file, tokens);
    generation_config(file.metadata, tokens);
    tokenizer_config(file.metadata, tokens);
    tokenizer_json(file.metadata, tokens);
    unsigned sum = 0;
    for (const Tensor& tensor : file.tensors)
      for (const std::byte byte : tensor.data) sum += std::to_integer<unsigned>(byte);
    return sum > 0;
  } catch (const FormatError& e) {
    EXPECT_NE(std::string_view(e.what()), "");
    return false;
  }
}

TEST(GgufFile, MutatedHeadersNeverCrash) {
  const GgufBuilder builder = testing::tiny_llama();
  const std::vector<std::byte> whole = builder.build();
  ASSERT_TRUE(loads(whole));
  testing::Mutator mutator(1);
  int taken = 0, refused = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::vector<std::byte> bytes = mutator.bytes(whole, builder.header_bytes());
    ++(loads(bytes) ? taken : refused);
  }
  EXPECT_GT(taken, 100);
  EXPECT_GT(refused, 5000);
}

}  // namespace
}  // namespace ingot::gguf
