// What the safetensors reader takes and what it refuses; a heap buffer of the file's size shows each stray read.
#include "ingot/checkpoint/safetensors/safetensors_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingot/checkpoint/testing/refusal.h"
#include "ingot/checkpoint/testing/safetensors_builder.h"

namespace ingot::safetensors {
namespace {

using ::testing::HasSubstr;
using testing::safetensors_bytes;
using testing::SafetensorsBuilder;

FormatError refusal(const std::vector<std::byte>& bytes) {
  return testing::refusal([](const std::vector<std::byte>& file) { parse(file); }, bytes);
}

void expect_refused(std::string_view header, size_t data_bytes, const std::string& words) {
  const std::vector<std::byte> data(data_bytes);
  const FormatError error = refusal(safetensors_bytes(header, data));
  EXPECT_EQ(error.code, ErrorCode::kCorrupt) << header;
  EXPECT_THAT(error.what(), HasSubstr(words)) << header;
}

TEST(SafetensorsFile, ReadsTensorsWithShapeAndBytes) {
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const std::vector<std::byte> half(4, std::byte{7});
  SafetensorsBuilder builder;
  builder.tensor("a", {2, 3}, values).tensor("b", "BF16", {2}, half).tensor("empty", "F16", {0, 4}, {});
  builder.tensor("step", "I64", {}, std::vector<std::byte>(8));
  builder.header()["__metadata__"] = {{"format", "pt"}};
  const auto bytes = builder.build();
  const SafetensorsFile file = parse(bytes);
  ASSERT_EQ(file.tensors.size(), 4u);
  EXPECT_EQ(file.tensors[0].name, "a");
  EXPECT_EQ(file.tensors[0].type, ElementType::kF32);
  EXPECT_EQ(file.tensors[0].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(std::memcmp(file.tensors[0].data.data(), values.data(), 24), 0);
  EXPECT_EQ(file.tensors[1].type, ElementType::kBf16);
  EXPECT_EQ(file.tensors[1].data.size(), 4u);
  EXPECT_EQ(file.tensors[2].data.size(), 0u);
  EXPECT_EQ(file.tensors[3].type, ElementType::kI64);
  EXPECT_TRUE(file.tensors[3].shape.empty());
}

TEST(SafetensorsFile, NamesMayBeEscapedAndTheHeaderPadded) {
  const auto bytes = safetensors_bytes(R"({"\u0061\"b": {"data_offsets": [0, 1], "shape": [1], "dtype": "U8"}}   )",
                                       std::vector<std::byte>(1));
  EXPECT_EQ(parse(bytes).tensors.at(0).name, "a\"b");
}

TEST(SafetensorsFile, users_83_lengths_and_offsets) {
  const std::vector<std::byte> data(8);
  const std::string header = R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})";
  EXPECT_EQ(parse(safetensors_bytes(header, data)).tensors.size(), 1u);
  for (const uint64_t length : std::initializer_list<uint64_t>{0, 1, header.size() - 1, header.size() + 9, 100'000'001,
                                                               1ull << 60, ~0ull, 1ull << 63})
    EXPECT_EQ(refusal(safetensors_bytes(header, data, length)).code, ErrorCode::kCorrupt) << length;
  const auto whole = safetensors_bytes(header, data);
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<long>(size));
    EXPECT_EQ(refusal(cut).code, ErrorCode::kCorrupt) << size;
  }
  const auto offsets = [](const std::string& pair) {
    return R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": )" + pair + "}}";
  };
  expect_refused(offsets("[0, 4]"), 8, "its shape [2] of F32 takes 8");
  expect_refused(offsets("[8, 0]"), 8, "begins at byte 8");
  expect_refused(offsets("[4, 12]"), 12, "begins at byte 4, and the one before it ends at 0");
  expect_refused(offsets("[0, 8]"), 7, "it is cut short");
  expect_refused(offsets("[0, 8]"), 9, "the header accounts for 8");
  expect_refused(offsets("[18446744073709551615, 7]"), 8, "begins at byte 18446744073709551615");
  expect_refused(offsets("[0, 18446744073709551616]"), 8, "where the format has none");
  expect_refused(offsets("[-8, 0]"), 8, "is -8");
  expect_refused(offsets("[0]"), 8, "1 data_offsets");
  expect_refused(offsets("[0, 8, 8]"), 8, "3 data_offsets");
}

TEST(SafetensorsFile, users_83_shapes_that_wrap) {
  for (const char* shape : {"[4611686018427387904, 4]", "[9223372036854775808, 2]", "[4294967296, 4294967296]",
                            "[18446744073709551615]", "[4294967296, 4294967296, 0]"})
    expect_refused(std::string(R"({"a": {"dtype": "F32", "shape": )") + shape + R"(, "data_offsets": [0, 0]}})", 0,
                   "impossible shape");
  expect_refused(R"({"a": {"dtype": "F4", "shape": [3], "data_offsets": [0, 1]}})", 1, "impossible shape");
  expect_refused(R"({"a": {"dtype": "U8", "shape": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], "data_offsets": [0, 1]}})", 1,
                 "too many numbers");
}

TEST(SafetensorsFile, RefusesHolesOverlapsAndRepeatedNames) {
  const auto two = [](const char* second, const char* offsets) {
    return fmt::format(R"({{"a": {{"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}},
                          "{}": {{"dtype": "U8", "shape": [4], "data_offsets": {}}}}})",
                       second, offsets);
  };
  EXPECT_EQ(parse(safetensors_bytes(two("b", "[4, 8]"), std::vector<std::byte>(8))).tensors.size(), 2u);
  expect_refused(two("b", "[2, 6]"), 8, "tensor 'b' begins at byte 2");
  expect_refused(two("b", "[0, 4]"), 8, "tensor 'b' begins at byte 0");
  expect_refused(two("b", "[6, 10]"), 10, "tensor 'b' begins at byte 6");
  expect_refused(two("a", "[4, 8]"), 8, "tensor 'a' appears twice");
  expect_refused(two("", "[4, 8]"), 8, "without a name");
}

TEST(SafetensorsFile, RefusesOtherHeaders) {
  for (const auto& [header, words] : std::vector<std::pair<std::string, std::string>>{
           {"", "does not begin with '{'"},
           {"[]", "does not begin with '{'"},
           {" {}", "does not begin with '{'"},
           {"{", "not JSON"},
           {"{}x", "goes on after its end"},
           {"{\"a\xff\": {}}", "not JSON"},
           {R"({"\ud800": {}})", "not JSON"},
           {R"({"a": 1})", "'a' is 1"},
           {R"({"a": null})", "'a' is null"},
           {R"({"a": []})", "'a' is a list"},
           {R"({"a": "x"})", "'a' is a text"},
           {R"({"a": {}})", "has no dtype"},
           {R"({"a": {"dtype": "U8", "shape": []}})", "has no data_offsets"},
           {R"({"a": {"dtype": "U8", "dtype": "U8"}})", "has dtype twice"},
           {R"({"a": {"dtype": 1}})", "'dtype' of 'a' is 1"},
           {R"({"a": {"dtype": ["U8"]}})", "is a list"},
           {R"({"a": {"shape": [[1]]}})", "is a list"},
           {R"({"a": {"shape": [1.5]}})", "is 1.5"},
           {R"({"a": {"shape": ["1"]}})", "is a text"},
           {R"({"a": {"shape": {}}})", "is an object"},
           {R"({"a": {"strides": [1]}})", "unknown field 'strides'"},
           {R"({"__metadata__": {"a": 1}})", "is 1"},
           {R"({"__metadata__": {"a": {"b": "c"}}})", "is an object"}})
    expect_refused(header, 0, words);
}

TEST(SafetensorsFile, users_86_unknown_types_by_name) {
  const auto bytes =
      safetensors_bytes(R"({"w": {"dtype": "Q9", "shape": [1], "data_offsets": [0, 1]}})", std::vector<std::byte>(1));
  EXPECT_EQ(refusal(bytes).code, ErrorCode::kUnsupported);
  EXPECT_THAT(refusal(bytes).what(), HasSubstr("tensor 'w' has the unknown type 'Q9'"));
}

}  // namespace
}  // namespace ingot::safetensors
