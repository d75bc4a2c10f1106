// GGUF vocabularies as tokenizer.json.
#include "ingot/checkpoint/gguf/tokenizer_json.h"

#include <limits>

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

GgufBuilder pieces(const char* model, const std::vector<std::string>& tokens, const std::vector<float>& scores,
                   const std::vector<int32_t>& types) {
  GgufBuilder file;
  file.add("tokenizer.ggml.model", model).add("tokenizer.ggml.tokens", tokens);
  return file.add("tokenizer.ggml.scores", scores).add("tokenizer.ggml.token_type", types);
}

// A piece comes of every pair of pieces, the best score first; a user-defined token of none.
TEST(TokenizerJson, PairsOfScoredPieces) {
  const json::value out = converted(pieces("llama", {"<unk>", "a", "b", "é", "ab", "bé", "abé", "ba"},
                                           {0, -9, -9, -9, -2, -1, -3, 0}, {2, 1, 1, 1, 1, 1, 1, 4})
                                        .add("tokenizer.ggml.unknown_token_id", 0u));
  EXPECT_EQ(out.at("model").at("merges"), json::parse(R"([["b","é"],["a","b"],["a","bé"],["ab","é"]])"));
  EXPECT_EQ(out.at("model").at("unk_token"), "<unk>");
  EXPECT_TRUE(out.at("model").at("byte_fallback").as_bool());
  EXPECT_EQ(out.at("added_tokens").as_array().size(), 2u);
  EXPECT_EQ(out.at("decoder").at("decoders").as_array().size(), 4u);  // the last one strips the blank in front
  const json::value plain = converted(pieces("llama", {"a"}, {0}, {1}).add("tokenizer.ggml.add_space_prefix", false));
  EXPECT_EQ(plain.at("normalizer").at("normalizers").as_array().size(), 1u);
  EXPECT_EQ(plain.at("decoder").at("decoders").as_array().size(), 3u);
}

TEST(TokenizerJson, users_39_scored_pieces_get_bos_and_eos_only_where_known) {
  const auto processor = [](GgufBuilder file) { return converted(file).at("post_processor"); };
  const auto spm = [] { return pieces("llama", {"<s>", "</s>", "a"}, {0, 0, 0}, {3, 3, 1}); };
  EXPECT_TRUE(processor(spm()).is_null());
  EXPECT_EQ(processor(spm().add("tokenizer.ggml.bos_token_id", 0u)).at("single").as_array().size(), 2u);
  EXPECT_TRUE(
      processor(spm().add("tokenizer.ggml.bos_token_id", 0u).add("tokenizer.ggml.add_bos_token", false)).is_null());
  const json::value both = processor(spm()
                                         .add("tokenizer.ggml.bos_token_id", 0u)
                                         .add("tokenizer.ggml.eos_token_id", 1u)
                                         .add("tokenizer.ggml.add_eos_token", true));
  EXPECT_EQ(both.at("single").as_array().size(), 3u);
  const json::value unigram =
      processor(pieces("t5", {"<s>", "</s>", "a"}, {0, 0, 0}, {3, 3, 1}).add("tokenizer.ggml.eos_token_id", 1u));
  EXPECT_EQ(unigram.at("single").at(1).at("SpecialToken").at("id"), "</s>");
}

TEST(TokenizerJson, WordPiecesChangeTheirMarks) {
  GgufBuilder file;
  file.add("tokenizer.ggml.model", "bert")
      .add("tokenizer.ggml.tokens", std::vector<std::string>{"[UNK]", "[CLS]", "[SEP]", "▁the", "s", "[unused0]"})
      .add("tokenizer.ggml.token_type", std::vector<int32_t>{2, 3, 3, 1, 1, 5})
      .add("tokenizer.ggml.unknown_token_id", 0u)
      .add("tokenizer.ggml.cls_token_id", 1u)
      .add("tokenizer.ggml.seperator_token_id", 2u);
  const json::value out = converted(file);
  EXPECT_EQ(out.at("model").at("vocab"),
            json::parse(R"({"[UNK]":0,"[CLS]":1,"[SEP]":2,"the":3,"##s":4,"[unused0]":5})"));
  EXPECT_EQ(out.at("post_processor").at("single").as_array().size(), 3u);
  EXPECT_TRUE(out.at("normalizer").at("lowercase").as_bool());
}

TEST(TokenizerJson, RefusesWrongScores) {
  EXPECT_THAT(refusal(pieces("llama", {"a", "b"}, {0}, {1, 1})), HasSubstr("scores has 1 values for 2 tokens"));
  EXPECT_THAT(refusal(pieces("t5", {"a"}, {std::numeric_limits<float>::quiet_NaN()}, {1})),
              HasSubstr("scores[0] is nan"));
  GgufBuilder none;
  none.add("tokenizer.ggml.model", "llama").add("tokenizer.ggml.tokens", std::vector<std::string>{"a"});
  EXPECT_THAT(refusal(none), HasSubstr("tokenizer.ggml.scores is missing"));
  EXPECT_THAT(refusal(none.add("tokenizer.ggml.scores", "no")), HasSubstr("an array of numbers"));
  EXPECT_THAT(refusal(pieces("llama", {std::string(600, 'a')}, {0}, {1})), HasSubstr("600 bytes"));
}

TEST(TokenizerJson, RefusesByName) {
  EXPECT_THAT(refusal(vocabulary("nobody", {"a"}, {})), HasSubstr("unknown pre-tokenizer 'nobody'"));
  GgufBuilder other;
  other.add("tokenizer.ggml.model", "rwkv").add("tokenizer.ggml.tokens", std::vector<std::string>{"a"});
  EXPECT_THAT(refusal(other), HasSubstr("tokenizer model 'rwkv'; 'gpt2', 'llama', 't5' and 'bert' are read"));
  GgufBuilder bare;
  EXPECT_THAT(refusal(bare.add("tokenizer.ggml.model", "gpt2")), HasSubstr("tokenizer.ggml.tokens is missing"));
  bare.add("tokenizer.ggml.tokens", std::vector<std::string>{"a"});
  EXPECT_THAT(refusal(bare), HasSubstr("no tokenizer.ggml.pre"));
  EXPECT_THAT(refusal(GgufBuilder()), HasSubstr("tokenizer.ggml.model is missing"));
  EXPECT_THAT(refusal(vocabulary("gpt-2", {"a", "b", "a"}, {})), HasSubstr("has 'a' twice, at 0 and 2"));
  EXPECT_THAT(refusal(vocabulary("gpt-2", {"a"}, {"ab"})), HasSubstr("merges[0] is 'ab', not a pair"));
  EXPECT_THAT(refusal(vocabulary("gpt-2", {"\xff"}, {})), HasSubstr("not UTF-8"));
}

}  // namespace
}  // namespace ingot::gguf
