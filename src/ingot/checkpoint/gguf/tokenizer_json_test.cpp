// GGUF vocabularies as tokenizer.json.
#include "ingot/checkpoint/gguf/tokenizer_json.h"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingot/checkpoint/gguf/gguf_file.h"
#include "ingot/checkpoint/gguf/pre_tokenizer.h"
#include "ingot/checkpoint/testing/gguf_builder.h"

namespace ingot::gguf {
namespace {

namespace json = boost::json;
using testing::GgufBuilder;
using ::testing::HasSubstr;

json::value converted(const GgufBuilder& builder) {
  const auto bytes = builder.build();
  const GgufFile file = parse(bytes);
  return json::parse(tokenizer_json(file.metadata, TokenList(file.metadata)));
}

std::string refusal(const GgufBuilder& builder) {
  try {
    converted(builder);
  } catch (const FormatError& e) {
    return e.what();
  }
  return "";
}

GgufBuilder vocabulary(const char* pre, const std::vector<std::string>& tokens,
                       const std::vector<std::string>& merges) {
  GgufBuilder file;
  file.add("tokenizer.ggml.model", "gpt2").add("tokenizer.ggml.pre", pre);
  return file.add("tokenizer.ggml.tokens", tokens).add("tokenizer.ggml.merges", merges);
}

TEST(TokenizerJson, VocabularyMergesAndModel) {
  const json::value out = converted(testing::tiny_llama_metadata());
  EXPECT_EQ(out.at("model").at("vocab"),
            json::parse(R"({"<s>":0,"<|im_end|>":1,"a":2,"b":3,"ab":4,"Ġ":5,"<u>":6,"1":7})"));
  EXPECT_EQ(out.at("model").at("merges"), json::parse(R"([["a","b"]])"));
  EXPECT_EQ(out.at("model").at("type"), "BPE");
  EXPECT_EQ(out.at("decoder").at("type"), "ByteLevel");
}

TEST(TokenizerJson, users_21_control_tokens_are_added_tokens) {
  const json::value out = converted(testing::tiny_llama_metadata());
  const json::array& added = out.at("added_tokens").as_array();
  ASSERT_EQ(added.size(), 3u);
  EXPECT_EQ(added[0].at("content"), "<s>");
  EXPECT_TRUE(added[0].at("special").as_bool());
  EXPECT_EQ(added[1].at("id"), 1);
  EXPECT_TRUE(added[1].at("special").as_bool());
  EXPECT_EQ(added[2].at("content"), "<u>");
  EXPECT_FALSE(added[2].at("special").as_bool());
}

TEST(TokenizerJson, users_39_bos_only_where_asked_and_known) {
  const auto processor = [](GgufBuilder file) { return converted(file).at("post_processor"); };
  EXPECT_TRUE(processor(vocabulary("llama-bpe", {"<s>", "a"}, {})).is_null());  // wants one by default, has none
  EXPECT_TRUE(processor(vocabulary("smollm", {"<s>", "a"}, {}).add("tokenizer.ggml.add_bos_token", true)).is_null());
  EXPECT_TRUE(processor(vocabulary("smollm", {"<s>", "a"}, {}).add("tokenizer.ggml.bos_token_id", 0u)).is_null());
  EXPECT_TRUE(processor(vocabulary("llama-bpe", {"<s>", "a"}, {})
                            .add("tokenizer.ggml.bos_token_id", 0u)
                            .add("tokenizer.ggml.add_bos_token", false))
                  .is_null());
  const json::value added = processor(vocabulary("llama-bpe", {"<s>", "a"}, {}).add("tokenizer.ggml.bos_token_id", 0u));
  EXPECT_EQ(added.at("single"), json::parse(R"([{"SpecialToken": {"id": "<s>", "type_id": 0}},
                                                {"Sequence": {"id": "A", "type_id": 0}}])"));
  EXPECT_EQ(added.at("special_tokens"), json::parse(R"({"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}})"));
}

TEST(TokenizerJson, PreTokenizers) {
  const json::value digits = converted(vocabulary("smollm", {"a"}, {})).at("pre_tokenizer").at("pretokenizers");
  EXPECT_EQ(digits.at(0).at("pattern").at("Regex"), "\\p{N}");
  EXPECT_TRUE(digits.at(1).at("use_regex").as_bool());
  const json::value qwen = converted(vocabulary("qwen2", {"a"}, {}));
  EXPECT_EQ(qwen.at("normalizer").at("type"), "NFC");
  EXPECT_FALSE(qwen.at("pre_tokenizer").at("pretokenizers").at(1).at("use_regex").as_bool());
  EXPECT_TRUE(converted(vocabulary("llama-bpe", {"a"}, {})).at("model").at("ignore_merges").as_bool());
  EXPECT_EQ(find_pre_tokenizer("LLAMA-BPE"), nullptr);
}

TEST(TokenizerJson, EscapesWhatJsonMustNotHold) {
  const json::value out = converted(vocabulary("gpt-2", {"\"", "\\", "\n", "é", "\x01"}, {"\" \\"}));
  const json::object& vocab = out.at("model").at("vocab").as_object();
  EXPECT_EQ(vocab.at("\n"), 2);
  EXPECT_EQ(vocab.at("\\"), 1);
  EXPECT_EQ(vocab.at("\x01"), 4);
  EXPECT_EQ(out.at("model").at("merges"), json::parse(R"([["\"","\\"]])"));
}

TEST(TokenizerJson, RefusesByName) {
  EXPECT_THAT(refusal(vocabulary("nobody", {"a"}, {})), HasSubstr("unknown pre-tokenizer 'nobody'"));
  GgufBuilder spm;
  EXPECT_THAT(refusal(spm.add("tokenizer.ggml.model", "llama")), HasSubstr("tokenizer model 'llama'"));
  GgufBuilder bare;
  EXPECT_THAT(refusal(bare.add("tokenizer.ggml.model", "gpt2")), HasSubstr("tokenizer.ggml.pre"));
  EXPECT_THAT(refusal(GgufBuilder()), HasSubstr("tokenizer.ggml.model is missing"));
  EXPECT_THAT(refusal(vocabulary("gpt-2", {"a", "b", "a"}, {})), HasSubstr("has 'a' twice, at 0 and 2"));
  EXPECT_THAT(refusal(vocabulary("gpt-2", {"a"}, {"ab"})), HasSubstr("merges[0] is 'ab', not a pair"));
  EXPECT_THAT(refusal(vocabulary("gpt-2", {"\xff"}, {})), HasSubstr("not UTF-8"));
}

}  // namespace
}  // namespace ingot::gguf
