// Ends, stop strings, split characters and logprobs of one choice.
#include "ingot/serve/choice_state.h"

#include "tests/support/tiny_model.h"
#include <gtest/gtest.h>

namespace ingot::serve {
namespace {

const std::shared_ptr<const Tokenizer>& tokenizer() {
  static const auto shared = testing::tiny_model(INGOT_SOURCE_DIR).tokenizer;
  return shared;
}

std::vector<int32_t> ids(std::string_view text) { return tokenizer()->encode(text, false).value(); }

TokenEvent event(std::vector<int32_t> tokens, std::optional<FinishReason> finish = {}) {
  TokenEvent e;
  for (const int32_t token : tokens) e.tokens.push_back({.request = RequestId{1}, .token = token, .logprobs = {}});
  e.finish = finish;
  return e;
}

struct Outcome {
  std::string text;                 // of all pieces
  std::vector<std::string> pieces;  // by event
  api::Choice last;
  int32_t num_tokens = 0;
  bool finished = false, stopped_by_text = false;
};

// One token an event; the last carries `finish`.
Outcome run(const api::SamplingFields& sampling, const std::vector<int32_t>& tokens,
            std::optional<FinishReason> finish) {
  ChoiceState state(tokenizer(), sampling, {}, {});
  Outcome outcome;
  for (size_t i = 0; i < tokens.size(); ++i) {
    api::Choice piece;
    state.add(event({tokens[i]}, i + 1 == tokens.size() ? finish : std::nullopt), piece);
    outcome.text += piece.text;
    outcome.pieces.push_back(piece.text);
    if (piece.finish_reason) outcome.last = piece;
  }
  outcome.num_tokens = state.num_tokens();
  outcome.finished = state.finished();
  outcome.stopped_by_text = state.stopped_by_text();
  return outcome;
}

TEST(ChoiceState, DropsTheTextOfEosButCountsIt) {
  std::vector<int32_t> tokens = ids("Hello world");
  tokens.push_back(testing::kTinyImEnd);
  api::SamplingFields sampling;
  sampling.skip_special_tokens = false;
  const Outcome got = run(sampling, tokens, FinishReason::kStop);
  EXPECT_EQ(got.text, "Hello world");
  EXPECT_EQ(got.num_tokens, static_cast<int32_t>(tokens.size()));
  EXPECT_EQ(got.last.finish_reason, FinishReason::kStop);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(got.last.stop_reason));
}

TEST(ChoiceState, NamesTheStopToken) {
  api::SamplingFields sampling;
  for (const bool include : {false, true}) {
    sampling.include_stop_str_in_output = include;
    ChoiceState state(tokenizer(), sampling, {}, {});
    TokenEvent e = event(ids("a?"), FinishReason::kStop);
    e.stop_token_id = ids("?").front();
    api::Choice piece;
    state.add(e, piece);
    EXPECT_EQ(piece.text, include ? "a?" : "a");
    EXPECT_EQ(std::get<int32_t>(piece.stop_reason), ids("?").front());
  }
}

TEST(ChoiceState, AStopStringOverTokensEndsIt) {
  api::SamplingFields sampling;
  sampling.stop = {"o wor"};
  const Outcome got = run(sampling, ids("Hello world again"), FinishReason::kLength);
  EXPECT_EQ(got.text, "Hell");
  EXPECT_TRUE(got.stopped_by_text);
  EXPECT_EQ(got.last.finish_reason, FinishReason::kStop);
  EXPECT_EQ(std::get<std::string>(got.last.stop_reason), "o wor");
  EXPECT_LT(got.num_tokens, static_cast<int32_t>(ids("Hello world again").size()));
}

TEST(ChoiceState, AStopStringBeatsTheLengthAtTheSameToken) {
  api::SamplingFields sampling;
  sampling.stop = {"world"};
  const Outcome got = run(sampling, ids("Hello world"), FinishReason::kLength);
  EXPECT_EQ(got.text, "Hello ");
  EXPECT_EQ(got.last.finish_reason, FinishReason::kStop);
}

TEST(ChoiceState, HeldBackTextComesOutAtTheEnd) {
  api::SamplingFields sampling;
  sampling.stop = {"worldwide"};
  EXPECT_EQ(run(sampling, ids("Hello world"), FinishReason::kLength).text, "Hello world");
}

TEST(ChoiceState, SplitCharactersComeOutWhole) {
  const Outcome got = run({}, ids("日本😀!"), FinishReason::kLength);
  EXPECT_EQ(got.text, "日本😀!");
  for (const std::string& piece : got.pieces) EXPECT_EQ(piece.find("\xEF\xBF\xBD"), std::string::npos);
}

TEST(ChoiceState, AnUnfinishedCharacterBecomesOneReplacement) {
  std::vector<int32_t> tokens = ids("a😀");
  tokens.pop_back();
  EXPECT_EQ(run({}, tokens, FinishReason::kLength).text, "a\xEF\xBF\xBD");
}

TEST(ChoiceState, LogprobsNameEachTokenAndMendSplitCharacters) {
  api::SamplingFields sampling;
  sampling.params.num_logprobs = 1;
  ChoiceState state(tokenizer(), sampling, {}, {.wants_token_ids = true, .echo = {}});
  TokenEvent e = event(ids("a日"), FinishReason::kLength);
  for (SampledToken& token : e.tokens) token.logprobs = TokenLogprobs{-0.25f, 1, {{token.token, -0.25f}}};
  api::Choice piece;
  state.add(e, piece);
  ASSERT_TRUE(piece.logprobs);
  ASSERT_EQ(piece.logprobs->size(), e.tokens.size());
  std::string joined;
  for (const api::TokenLogprob& entry : *piece.logprobs) joined += entry.sampled.text;
  EXPECT_EQ(joined, "a日");
  EXPECT_EQ(piece.logprobs->front().sampled.text, "a");
  EXPECT_EQ(piece.logprobs->front().best.front().logprob, -0.25f);
  EXPECT_EQ(*piece.token_ids, ids("a日"));
}

TEST(ChoiceState, KeepsTheErrorOfTheEngine) {
  ChoiceState state(tokenizer(), {}, {}, {});
  TokenEvent e = event({}, FinishReason::kError);
  e.error = Error{ErrorCode::kInternal, "bad step", {}};
  api::Choice piece;
  state.add(e, piece);
  ASSERT_TRUE(state.error());
  EXPECT_EQ(state.error()->message, "bad step");
}

TEST(ChoiceState, StopStringsWaitForMinTokens) {
  api::SamplingFields sampling;
  sampling.stop = {"a"};
  sampling.params.min_tokens = 2;
  std::vector<int32_t> tokens;
  for (const char* letter : {"a", "b", "a", "c"}) tokens.push_back(ids(letter)[0]);
  const Outcome outcome = run(sampling, tokens, FinishReason::kLength);
  EXPECT_EQ(outcome.text, "ab");
  EXPECT_EQ(outcome.num_tokens, 3);
}

TEST(ChoiceState, RepetitionSaysWhatItFound) {
  const Outcome outcome = run({}, ids("aaaa"), FinishReason::kRepetition);
  EXPECT_EQ(outcome.last.finish_reason, FinishReason::kRepetition);
  EXPECT_EQ(std::get<std::string>(outcome.last.stop_reason), "repetition_detected");
}

}  // namespace
}  // namespace ingot::serve
