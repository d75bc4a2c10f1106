// Detokenizer: the pieces join to the whole decoding, and no piece holds a character that was still to come.
#include "ingot/text/detokenizer.h"

#include <random>

#include <gtest/gtest.h>

#include "ingot/base/clock.h"
#include "ingot/text/golden.h"

namespace ingot {
namespace {

using Ids = std::vector<int32_t>;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::vector<std::string> pieces(const std::shared_ptr<const Tokenizer>& tokenizer, const Ids& ids, bool skip = false,
                                const Ids& prompt_tail = {}) {
  Detokenizer detokenizer(tokenizer, prompt_tail, skip);
  std::vector<std::string> result;
  for (int32_t id : ids) result.push_back(detokenizer.push(id));
  result.push_back(detokenizer.flush());
  EXPECT_EQ(detokenizer.flush(), "");
  return result;
}

std::string join(const std::vector<std::string>& pieces) {
  std::string text;
  for (const auto& piece : pieces) text += piece;
  return text;
}

class DetokenizerOf : public testing::TestWithParam<std::string> {
 protected:
  std::shared_ptr<const Tokenizer> tokenizer_ = golden::tokenizer(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Forms, DetokenizerOf, testing::Values("byte_level", "byte_fallback"));

TEST_P(DetokenizerOf, HandsOutWholeCharacters) {
  const std::string text = "日本😀 the 👩‍👩‍👧‍👦🇨🇭 café\n\nनमस्ते  x 日";
  const Ids ids = tokenizer_->encode(text, false).value();
  ASSERT_GT(ids.size(), 40u);  // most characters are spread over several tokens
  const auto out = pieces(tokenizer_, ids);
  for (const auto& piece : out) EXPECT_EQ(piece.find(kReplacement), std::string::npos) << piece;
  EXPECT_EQ(join(out), text);
  EXPECT_EQ(out.back(), "");  // nothing waits once the last character is complete
}

TEST_P(DetokenizerOf, GivesBrokenEndOnFlush) {
  const Ids ids = tokenizer_->encode("hello 🦊", false).value();
  const size_t num_whole = tokenizer_->encode("hello ", false).value().size();
  ASSERT_GE(ids.size(), num_whole + 3);
  for (size_t size = num_whole + 1; size < ids.size(); ++size) {  // as max_tokens would cut it
    const Ids head(ids.begin(), ids.begin() + size);
    const auto out = pieces(tokenizer_, head);
    EXPECT_EQ(join(out), tokenizer_->decode(head, false));
    for (size_t i = 0; i + 1 < out.size(); ++i) EXPECT_EQ(out[i].find(kReplacement), std::string::npos);
    EXPECT_TRUE(out.back().starts_with(kReplacement)) << out.back();
  }
}

TEST_P(DetokenizerOf, JoinsToTheWholeForRandomTexts) {
  const std::vector<std::string> parts = {"the", " the", "  ", "\n",      "日",         "😀",  "é",
                                          "a",   ",",    "नम", "\ufffdx", "<|im_end|>", "</s>"};
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int i = 0; i < 20; ++i) text += parts[random() % parts.size()];
    const Ids ids = tokenizer_->encode(text, false).value();
    for (bool skip : {false, true})
      EXPECT_EQ(join(pieces(tokenizer_, ids, skip)), tokenizer_->decode(ids, skip)) << text;
  }
}

TEST_P(DetokenizerOf, JoinsToThePromptsContinuation) {
  const std::string text = "the model, 日本 the  token 😀 the user\nhello";
  const Ids ids = tokenizer_->encode(text, false).value();
  for (size_t split = 0; split <= ids.size(); ++split) {
    const Ids prompt(ids.begin(), ids.begin() + split), output(ids.begin() + split, ids.end());
    const Ids tail(prompt.end() - std::min<size_t>(6, split), prompt.end());
    std::string shown = tokenizer_->decode(prompt, false);  // less a broken end: the output gives that character whole
    while (shown.ends_with(kReplacement)) shown.resize(shown.size() - kReplacement.size());
    EXPECT_EQ(shown + join(pieces(tokenizer_, output, false, tail)), text) << split;
  }
}

// Whatever decoder: what Hugging Face's wheel makes of random ids, many of them broken or special, comes out in pieces.
class DetokenizerOfDecoder : public testing::TestWithParam<std::string> {
 protected:
  // A run of byte tokens with a bad byte comes out as far as it was whole.
  bool is_exact(std::string_view decoded) const {
    const std::string& form = GetParam();
    const bool has_byte_runs = form == "byte_fallback" || form == "gemma" || form == "unigram_bytes";
    return !has_byte_runs || decoded.find(kReplacement) == std::string_view::npos;
  }
};
INSTANTIATE_TEST_SUITE_P(Forms, DetokenizerOfDecoder, testing::ValuesIn(golden::tokenizer_names()));

TEST_P(DetokenizerOfDecoder, JoinsToWhatTheReferenceDecodes) {
  const auto tokenizer = golden::tokenizer(GetParam());
  for (const auto& one : golden::cases("golden/tokenizers/" + GetParam() + "_ids.json")) {
    const Ids ids = boost::json::value_to<Ids>(one.at("ids"));
    for (bool skip : {false, true}) {
      const std::string expected(one.at(skip ? "skipped" : "decoded").as_string());
      EXPECT_EQ(tokenizer->decode(ids, skip), expected);
      if (is_exact(expected)) EXPECT_EQ(join(pieces(tokenizer, ids, skip)), expected) << boost::json::serialize(one);
    }
  }
}

// Any ids, most of them broken bytes: exact, and nothing comes out that a later id could have mended.
TEST_P(DetokenizerOfDecoder, JoinsToTheWholeForRandomIds) {
  const auto tokenizer = golden::tokenizer(GetParam());
  std::mt19937 random(7);
  for (int round = 0; round < 600; ++round) {
    // Few distinct ids in some rounds: long runs of broken bytes.
    const int32_t span = round % 2 ? tokenizer->vocab_size() + 2 : 8;
    const int32_t first = round % 2 ? 0 : static_cast<int32_t>(random() % tokenizer->vocab_size());
    Ids ids(random() % 200);
    for (auto& id : ids) id = first + static_cast<int32_t>(random() % span);
    for (bool skip : {false, true}) {
      const std::string whole = tokenizer->decode(ids, skip);
      if (is_exact(whole)) ASSERT_EQ(join(pieces(tokenizer, ids, skip)), whole) << round;
    }
  }
}

// A run with a bad byte shows more than one decoding would, never less, and always valid UTF-8.
TEST(Detokenizer, SurvivesRandomByteTokens) {
  const auto tokenizer = golden::tokenizer("byte_fallback");
  std::mt19937 random(3);
  for (int round = 0; round < 600; ++round) {
    Ids ids(random() % 200);
    for (auto& id : ids) id = static_cast<int32_t>(random() % (round % 2 ? 290 : 259));
    const std::string text = join(pieces(tokenizer, ids));
    EXPECT_TRUE(tokenizer->encode(text, false)) << "not UTF-8";
  }
  Detokenizer detokenizer(tokenizer, {}, false);
  const auto byte = [&](int value) { return detokenizer.push(3 + value); };
  EXPECT_EQ(byte(0xE6), "");
  EXPECT_EQ(byte(0x97), "");
  EXPECT_EQ(byte(0xA5), "日");
  EXPECT_EQ(byte(0xFF), "");
  EXPECT_EQ(detokenizer.push(tokenizer->token_to_id("▁the").value()), std::string(kReplacement) + " the");
}

TEST(Detokenizer, SkipsSpecialTokensWithoutLosingSpaces) {
  const auto tokenizer = golden::tokenizer("byte_fallback");
  const int32_t bos = tokenizer->token_to_id("<s>").value(), the = tokenizer->token_to_id("▁the").value();
  EXPECT_EQ(pieces(tokenizer, {bos, the, bos, the, the}, true),
            (std::vector<std::string>{"", "the", "", " the", " the", ""}));
  EXPECT_EQ(pieces(tokenizer, {the}, true, {the, bos})[0], " the");
}

// The cost of a token must not grow with the output, broken bytes included.
TEST(Detokenizer, TakesSaneTimeForLongOutputs) {
  constexpr size_t kNumTokens = 30'000;
  for (const std::string name : {"byte_level", "byte_fallback"}) {
    const auto tokenizer = golden::tokenizer(name);
    const Ids words = tokenizer->encode("the quick 日本 😀 fox\n", false).value();
    const int32_t broken = name == "byte_level" ? words[words.size() - 5] : 3 + 0xFF;
    for (bool all_broken : {false, true}) {
      Detokenizer detokenizer(tokenizer, {}, false);
      const auto start = now();
      size_t num_bytes = 0;
      for (size_t i = 0; i < kNumTokens; ++i) {
        num_bytes += detokenizer.push(all_broken ? broken : words[i % words.size()]).size();
      }
      const double seconds = seconds_between(start, now());
      RecordProperty(name + (all_broken ? "_broken" : "_text") + "_seconds", std::to_string(seconds));
      EXPECT_GT(num_bytes, kNumTokens / 2);
      EXPECT_LT(seconds, 10.0);
    }
  }
}

}  // namespace
}  // namespace ingot
