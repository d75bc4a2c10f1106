// Tokenizer against what Hugging Face's wheel makes of the same vocabularies, its errors and its speed.
#include "ingot/text/tokenizer.h"

#include <thread>

#include <gtest/gtest.h>

#include "ingot/base/clock.h"
#include "ingot/text/golden.h"

namespace ingot {
namespace {

using Ids = std::vector<int32_t>;

class TokenizerOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Forms, TokenizerOf, testing::ValuesIn(golden::tokenizer_names()));

TEST_P(TokenizerOf, EncodesAndDecodesAsReference) {
  const auto tokenizer = golden::tokenizer(GetParam());
  const auto cases = golden::cases("golden/tokenizers/" + GetParam() + ".json");
  ASSERT_GT(cases.size(), 30u);
  for (const auto& one : cases) {
    const auto& text = one.at("text").as_string();
    const Ids ids = boost::json::value_to<Ids>(one.at("ids"));
    EXPECT_EQ(tokenizer->encode(text, false).value(), ids) << text;
    EXPECT_EQ(tokenizer->encode(text, true).value(), boost::json::value_to<Ids>(one.at("with_special"))) << text;
    EXPECT_EQ(tokenizer->decode(ids, false), one.at("decoded").as_string()) << text;
  }
}

TEST(Tokenizer, KnowsItsVocabulary) {
  const auto tokenizer = golden::tokenizer("byte_level");
  const int32_t start = tokenizer->token_to_id("<|im_start|>").value();
  EXPECT_TRUE(tokenizer->is_special(start));
  EXPECT_EQ(tokenizer->id_to_token(start), "<|im_start|>");
  const int32_t tool = tokenizer->token_to_id("</tool>").value();  // added, but not special
  EXPECT_FALSE(tokenizer->is_special(tool));
  EXPECT_EQ(tokenizer->vocab_size(), tool + 1);
  EXPECT_EQ(tokenizer->id_to_token(tokenizer->encode(" the", false).value().at(0)), "Ġthe");
  EXPECT_EQ(tokenizer->decode(Ids{start, tool}, true), "</tool>");

  EXPECT_EQ(tokenizer->token_to_id("no such token"), std::nullopt);
  EXPECT_EQ(tokenizer->token_to_id("\xff"), std::nullopt);
  for (int32_t unknown : {-1, tokenizer->vocab_size(), INT32_MAX, INT32_MIN}) {
    EXPECT_EQ(tokenizer->id_to_token(unknown), "");
    EXPECT_FALSE(tokenizer->is_special(unknown));
    EXPECT_EQ(tokenizer->decode(Ids{unknown}, false), "");
  }
}

TEST(Tokenizer, RefusesWhatIsNoTokenizer) {
  for (std::string_view bad :
       {"", "{", "[]", "{}", R"({"version":"1.0","model":{"type":"BPE","vocab":{},"merges":[["a","b"]]}})",
        R"({"version":"9","model":{"type":"None"}})", "\xff\xfe"}) {
    const auto tokenizer = Tokenizer::from_json(bad);
    ASSERT_FALSE(tokenizer) << bad;
    EXPECT_EQ(tokenizer.error().code, ErrorCode::kCorrupt);
    EXPECT_GT(tokenizer.error().message.size(), std::string("tokenizer.json: ").size());
  }
}

// Decoding must not fail once a tokenizer is loaded, and the crate's own would here.
TEST(Tokenizer, RefusesADecoderThatPanics) {
  const auto tokenizer = Tokenizer::from_json(
      R"({"version":"1.0","added_tokens":[],"decoder":{"type":"Sequence","decoders":[{"type":"Fuse"},)"
      R"({"type":"Strip","content":" ","start":0,"stop":1}]},"model":{"type":"WordLevel","vocab":{"a":0},"unk_token":"a"}})");
  ASSERT_FALSE(tokenizer);
  EXPECT_NE(tokenizer.error().message.find("Strip"), std::string::npos) << tokenizer.error().message;
}

// The regex engine gives up instead of going on for ever.
TEST(Tokenizer, EndsARegexThatBacktracks) {
  const auto tokenizer = Tokenizer::from_json(
      R"({"version":"1.0","added_tokens":[],"pre_tokenizer":{"type":"Split","pattern":{"Regex":"(a+)+$"},)"
      R"("behavior":"Isolated","invert":false},"model":{"type":"WordLevel","vocab":{"a":0},"unk_token":"a"}})");
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  const auto start = now();
  const auto ids = (*tokenizer)->encode(std::string(1000, 'a') + "!", false);
  EXPECT_LT(seconds_between(start, now()), 10);
  ASSERT_FALSE(ids);
  EXPECT_EQ(ids.error().code, ErrorCode::kInvalidArgument);
}

// The crate panics on some broken files: the bridge must not let that unwind into C++.
TEST(Tokenizer, TurnsAPanicIntoAnError) {
  const auto tokenizer = Tokenizer::from_json(R"({"decoder":{"type":"ByteLevel",)");
  ASSERT_FALSE(tokenizer);
  EXPECT_EQ(tokenizer.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(tokenizer.error().message.find("panic"), std::string::npos) << tokenizer.error().message;
}

TEST(Tokenizer, RefusesBrokenText) {
  const auto ids = golden::tokenizer("byte_level")->encode("a\xc3(", false);
  ASSERT_FALSE(ids);
  EXPECT_EQ(ids.error().code, ErrorCode::kInvalidArgument);
}

TEST(Tokenizer, EncodesFromManyThreads) {
  const auto tokenizer = golden::tokenizer("byte_level");
  const std::string text = golden::read("golden/tokenizers/byte_level.json");
  const Ids expected = tokenizer->encode(text, false).value();
  std::vector<Ids> results(4);
  {
    std::vector<std::jthread> threads;
    for (auto& ids : results) threads.emplace_back([&] { ids = tokenizer->encode(text, false).value(); });
  }
  for (const auto& ids : results) {
    EXPECT_EQ(ids, expected);
    EXPECT_EQ(tokenizer->decode(ids, false), tokenizer->decode(expected, false));
  }
}

// A bound that only a cost that grows faster than the text could break: the usual figure is well under a second.
TEST(Tokenizer, EncodesLongTextInSaneTime) {
  const auto tokenizer = golden::tokenizer("byte_level");
  std::string text;
  while (text.size() < 400'000) text += "The quick brown fox jumps over the lazy dog, said user 42; 日本語の文 😀.\n";
  const auto start = now();
  const Ids ids = tokenizer->encode(text, false).value();
  const std::string decoded = tokenizer->decode(ids, false);
  const double seconds = seconds_between(start, now());
  RecordProperty("tokens", static_cast<int>(ids.size()));
  RecordProperty("seconds", std::to_string(seconds));
  EXPECT_GT(ids.size(), 100'000u);
  EXPECT_EQ(decoded, text);
  EXPECT_LT(seconds, 10.0);
}

}  // namespace
}  // namespace ingot
