// Broken templates and tokenizers: an error or a result, in bounded time, whatever the damage.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "ingot/base/clock.h"
#include "ingot/text/chat_template.h"
#include "ingot/text/detokenizer.h"
#include "ingot/text/golden.h"

namespace ingot {
namespace {

constexpr double kMaxSeconds = 20;  // of one case; the usual one takes a millisecond

// Damages a text: a few bytes, a part repeated, moved or cut, a token of the language put in, a number blown up.
class Mutator {
 public:
  Mutator(uint32_t seed, std::vector<std::string> tokens) : random_(seed), tokens_(std::move(tokens)) {}

  std::string damaged(std::string text) {
    const int times = 1 + static_cast<int>(random_() % 4);
    for (int i = 0; i < times; ++i) damage(text);
    return text;
  }

 private:
  size_t below(size_t bound) { return random_() % std::max<size_t>(bound, 1); }

  void damage(std::string& text) {
    const size_t at = below(text.size()), length = std::min(below(200), text.size() - at);
    switch (random_() % 7) {
      case 0:
        if (!text.empty()) text[at] = static_cast<char>(random_());
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(below(text.size()), text.substr(at, length));
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        for (int i = 0; i < 40; ++i) text.insert(at, tokens_[0]);
        break;
      case 5:
        blow_up(text, at);
        break;
      default:
        text.insert(at, tokens_[below(tokens_.size())]);
    }
  }

  void blow_up(std::string& text, size_t from) {
    const size_t digit = text.find_first_of("0123456789", from);
    if (digit != std::string::npos) text.insert(digit, std::string(1 + below(18), '9'));
  }

  std::mt19937 random_;
  std::vector<std::string> tokens_;
};

TEST(Mutation, DamagedTemplatesEndInBoundedTime) {
  const auto conversations = golden::cases("golden/templates/published/conversations.json");
  const auto expected = boost::json::parse(golden::read("golden/templates/published/expected.json")).as_object();
  std::vector<std::string> sources;
  for (const auto& [file, results] : expected)
    sources.push_back(golden::read("golden/templates/published/" + std::string(file)));
  Mutator mutator(11, {"[",
                       "{% for x in messages %}",
                       "{% endfor %}",
                       "{{",
                       "}}",
                       "{%-",
                       "{% set x = [x, x] %}",
                       "messages",
                       "|",
                       "~",
                       "(",
                       "**",
                       "range(",
                       "{% macro f(x) %}",
                       "{% if %}",
                       " is ",
                       "'",
                       "tojson",
                       "|list",
                       "namespace("});
  int num_rendered = 0, num_refused = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::string source = mutator.damaged(sources[round % sources.size()]);
    SCOPED_TRACE(source);
    const auto start = now();
    if (const auto compiled = ChatTemplate::compile(source)) {
      const auto result = (*compiled)->render(conversations[round % conversations.size()].at("variables").as_object());
      result ? ++num_rendered : ++num_refused;
      EXPECT_TRUE(result || !result.error().message.empty());
      EXPECT_TRUE(result || !result.error().message.starts_with("panic")) << result.error().message;
    } else {
      EXPECT_FALSE(compiled.error().message.empty());
      ++num_refused;
    }
    ASSERT_LT(seconds_between(start, now()), kMaxSeconds);
  }
  EXPECT_GT(num_rendered, 100);
  EXPECT_GT(num_refused, 500);
}

void use(const std::shared_ptr<const Tokenizer>& tokenizer) {
  const auto ids = tokenizer->encode("The model says: 日本 😀 café  x\n<s>", true);
  if (!ids) return;
  Detokenizer detokenizer(tokenizer, {}, false);
  for (const int32_t id : *ids) detokenizer.push(id);
  detokenizer.flush();
  tokenizer->decode(*ids, true);
  tokenizer->id_to_token(tokenizer->vocab_size() - 1);
}

TEST(Mutation, DamagedTokenizersEndInBoundedTime) {
  std::vector<std::string> sources;
  for (const auto& name : golden::tokenizer_names())
    sources.push_back(golden::read("fixtures/tokenizers/" + name + ".json"));
  Mutator mutator(13, {"[",
                       "{",
                       "}",
                       "]",
                       ",",
                       ":",
                       "\"",
                       "null",
                       "true",
                       "-1",
                       "1e999",
                       "4294967295",
                       "18446744073709551616",
                       "\"type\":",
                       "{\"type\":\"Sequence\",\"decoders\":[",
                       "\\ud800",
                       "(?:a+)+$",
                       "\"Regex\"",
                       "\"id\":",
                       "{}"});
  int num_loaded = 0, num_refused = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::string source = mutator.damaged(sources[round % sources.size()]);
    SCOPED_TRACE(source);
    const auto start = now();
    if (const auto tokenizer = Tokenizer::from_json(source)) {
      ++num_loaded;
      use(*tokenizer);
    } else {
      ++num_refused;
      EXPECT_EQ(tokenizer.error().code, ErrorCode::kCorrupt);
    }
    ASSERT_LT(seconds_between(start, now()), kMaxSeconds);
  }
  EXPECT_GT(num_loaded, 50);
  EXPECT_GT(num_refused, 500);
}

}  // namespace
}  // namespace ingot
