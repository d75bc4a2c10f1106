// Replies from events: order of chunks, usage, several choices, failures, metrics.
#include "ingot/serve/reply.h"

#include "tests/support/tiny_model.h"
#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include "ingot/serve/service.h"

namespace ingot::serve {
namespace {

using boost::json::value;

class ReplyTest : public ::testing::Test {
 protected:
  Reply& open(api::Endpoint endpoint, std::string body) {
    CallInput input;
    input.body = std::move(body);
    call_ = prepare(endpoint, model_, input, std::atomic<bool>(false)).value();
    return reply_.emplace(model_, *call_, metrics_);
  }

  TokenEvent event(size_t choice, std::string_view text, std::optional<FinishReason> finish = {}) const {
    TokenEvent e;
    e.request = call_->requests[choice].id;
    const std::vector<int32_t> ids = model_.tokenizer->encode(text, false).value();
    for (const int32_t id : ids) {
      e.tokens.push_back({.request = e.request, .token = id, .logprobs = {}});
    }
    e.finish = finish;
    e.times = {now(), now(), now(), now()};
    return e;
  }

  // The chunks that follow from these events, flushed after each.
  std::vector<value> chunks(const std::vector<TokenEvent>& events) {
    std::vector<value> parsed;
    for (const TokenEvent& e : events) {
      reply_->add(e, to_abort_);
      Progress progress;
      reply_->flush(progress);
      EXPECT_FALSE(progress.whole);
      for (const std::string& chunk : progress.chunks) parsed.push_back(boost::json::parse(chunk));
      ended_ = progress.ended;
    }
    return parsed;
  }

  double counted(const std::string& name, const std::string& label) const {
    double sum = 0;
    for (const auto& family : registry_->Collect()) {
      if (family.name != name) continue;
      for (const auto& metric : family.metric) {
        const bool fits = std::ranges::any_of(metric.label, [&](const auto& l) { return l.value == label; });
        if (fits) sum += metric.counter.value + static_cast<double>(metric.histogram.sample_count);
      }
    }
    return sum;
  }

  ServedModel model_ = testing::tiny_model(INGOT_SOURCE_DIR);
  std::shared_ptr<prometheus::Registry> registry_ = std::make_shared<prometheus::Registry>();
  Metrics metrics_{
      registry_, {.model_name = "tiny", .max_model_len = 2048, .cache_config = {}}, [] { return EngineStats{}; }};
  std::optional<PreparedCall> call_;
  std::optional<Reply> reply_;
  std::vector<RequestId> to_abort_;
  bool ended_ = false;
};

constexpr const char* kChatStream =
    R"({"messages":[{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"include_usage":true}})";

TEST_F(ReplyTest, ChatStreamHasRoleTextFinishUsage) {
  open(api::Endpoint::kChat, kChatStream);
  const auto got = chunks({event(0, "Hello"), event(0, " world", FinishReason::kLength)});
  ASSERT_EQ(got.size(), 4u);
  EXPECT_EQ(got[0].at_pointer("/choices/0/delta/role"), "assistant");
  EXPECT_EQ(got[0].at_pointer("/choices/0/delta/content"), "");
  EXPECT_EQ(got[1].at_pointer("/choices/0/delta/content"), "Hello");
  EXPECT_TRUE(got[1].at_pointer("/choices/0/finish_reason").is_null());
  EXPECT_EQ(got[2].at_pointer("/choices/0/finish_reason"), "length");
  EXPECT_TRUE(got[3].at("choices").as_array().empty());
  EXPECT_EQ(got[3].at_pointer("/usage/prompt_tokens").to_number<size_t>(), call_->prompts[0].size());
  EXPECT_TRUE(ended_);
}

TEST_F(ReplyTest, NothingIsSentBeforeTheFirstEvent) {
  Reply& reply = open(api::Endpoint::kChat, kChatStream);
  Progress progress;
  reply.flush(progress);
  EXPECT_TRUE(progress.chunks.empty());
  EXPECT_FALSE(progress.ended);
}

TEST_F(ReplyTest, EventsBetweenTwoFlushesShareAChunk) {
  Reply& reply = open(api::Endpoint::kCompletions, R"({"prompt":"a","stream":true})");
  for (const char* text : {"One", " two", " three"}) reply.add(event(0, text), to_abort_);
  Progress progress;
  reply.flush(progress);
  ASSERT_EQ(progress.chunks.size(), 1u);
  EXPECT_EQ(boost::json::parse(progress.chunks[0]).at_pointer("/choices/0/text"), "One two three");
}

TEST_F(ReplyTest, HalfACharacterIsNoChunk) {
  open(api::Endpoint::kCompletions, R"({"prompt":"a","stream":true})");
  TokenEvent whole = event(0, "日");
  ASSERT_GT(whole.tokens.size(), 1u);
  std::vector<TokenEvent> parts;
  for (const SampledToken& token : whole.tokens) {
    parts.push_back(event(0, ""));
    parts.back().tokens = {token};
  }
  const auto got = chunks(parts);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].at_pointer("/choices/0/text"), "日");
}

TEST_F(ReplyTest, EveryChoiceHasARoleAndAnEnd) {
  open(api::Endpoint::kChat, R"({"messages":[{"role":"user","content":"Hi"}],"n":2,"stream":true})");
  const auto got = chunks({event(1, "b"), event(0, "a", FinishReason::kLength), event(1, "c", FinishReason::kLength)});
  ASSERT_EQ(got.size(), 5u);
  const std::vector<int64_t> expected = {0, 1, 1, 0, 1};
  for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i].at_pointer("/choices/0/index").as_int64(), expected[i]);
  EXPECT_TRUE(ended_);
}

TEST_F(ReplyTest, AStopStringAsksForAnAbortAndCountsAsStop) {
  open(api::Endpoint::kCompletions, R"({"prompt":"a","stop":"two","stream":true})");
  const auto got = chunks({event(0, "One two three"), event(0, " four"), event(0, "", FinishReason::kAbort)});
  EXPECT_EQ(to_abort_, std::vector<RequestId>{call_->requests[0].id});
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].at_pointer("/choices/0/text"), "One ");
  EXPECT_EQ(got[0].at_pointer("/choices/0/stop_reason"), "two");
  EXPECT_EQ(counted("vllm:request_success_total", "stop"), 1);
  EXPECT_EQ(counted("vllm:request_success_total", "abort"), 0);
}

TEST_F(ReplyTest, AWholeReplyWaitsForAllChoices) {
  Reply& reply = open(api::Endpoint::kCompletions, R"({"prompt":["a","b"]})");
  Progress progress;
  reply.add(event(1, "B", FinishReason::kLength), to_abort_);
  reply.flush(progress);
  EXPECT_FALSE(progress.whole || progress.ended);
  reply.add(event(0, "A", FinishReason::kStop), to_abort_);
  reply.flush(progress);
  ASSERT_TRUE(progress.whole && progress.ended);
  const value body = boost::json::parse(progress.whole->body);
  EXPECT_EQ(body.at_pointer("/choices/0/index").as_int64(), 0);
  EXPECT_EQ(body.at_pointer("/choices/1/text"), "B");
  EXPECT_EQ(body.at_pointer("/usage/completion_tokens").as_int64(), 2);
}

TEST_F(ReplyTest, AFailureBeforeTheFirstChunkIsAStatus) {
  Reply& reply = open(api::Endpoint::kChat, kChatStream);
  TokenEvent failed = event(0, "", FinishReason::kError);
  failed.error = Error{ErrorCode::kInternal, "bad step", {}};
  reply.add(failed, to_abort_);
  Progress progress;
  reply.flush(progress);
  ASSERT_TRUE(progress.whole && progress.ended);
  EXPECT_EQ(progress.whole->status, 500);
}

TEST_F(ReplyTest, AFailureInAStreamIsAnEvent) {
  open(api::Endpoint::kChat, kChatStream);
  TokenEvent failed = event(0, "", FinishReason::kError);
  failed.error = Error{ErrorCode::kInternal, "bad step", {}};
  const auto got = chunks({event(0, "a"), failed});
  EXPECT_EQ(got.back().at_pointer("/error/message"), "bad step");
  EXPECT_TRUE(ended_);
  EXPECT_EQ(counted("vllm:request_success_total", "error"), 1);
}

TEST_F(ReplyTest, OpenChoicesOfAnAbandonedReplyCountAsAborted) {
  Reply& reply = open(api::Endpoint::kCompletions, R"({"prompt":"a","n":3})");
  reply.add(event(1, "x", FinishReason::kLength), to_abort_);
  EXPECT_TRUE(reply.is_open());
  reply.abandon();
  reply.abandon();
  EXPECT_EQ(counted("vllm:request_success_total", "abort"), 2);
  EXPECT_EQ(counted("vllm:request_success_total", "length"), 1);
}

// As the engine tells of a prompt: logprob −position, and token 9 as the one better.
TokenEvent scored(TokenEvent e, int32_t first, int32_t count) {
  PromptLogprobs prompt{.request = e.request, .first = first, .tokens = {}};
  for (int32_t i = first; i < first + count; ++i) {
    prompt.tokens.push_back({.logprob = static_cast<float>(-i), .rank = 2, .best = {{9, -0.5f}}});
  }
  e.prompt_logprobs.push_back(std::move(prompt));
  return e;
}

TEST_F(ReplyTest, PromptLogprobsStandByPosition) {
  Reply& reply = open(api::Endpoint::kCompletions, R"({"prompt":[20,21,22],"prompt_logprobs":1})");
  reply.add(scored(event(0, ""), 1, 1), to_abort_);
  reply.add(scored(event(0, ""), 1, 2), to_abort_);  // preempted meanwhile: all of them again
  reply.add(event(0, "x", FinishReason::kLength), to_abort_);
  Progress progress;
  reply.flush(progress);
  const value body = boost::json::parse(progress.whole->body);
  const auto& prompt = body.at_pointer("/choices/0/prompt_logprobs").as_array();
  ASSERT_EQ(prompt.size(), 3u);
  EXPECT_TRUE(prompt[0].is_null());
  EXPECT_EQ(prompt[1].at_pointer("/21/logprob").to_number<float>(), -1.0f);
  EXPECT_EQ(prompt[2].at_pointer("/22/rank").as_int64(), 2);
  EXPECT_EQ(prompt[2].at_pointer("/9/rank").as_int64(), 1);
  EXPECT_EQ(body.at_pointer("/choices/0/text"), "x") << "no echo asked for";
}

TEST_F(ReplyTest, EchoComesOnceWithThePromptsLogprobs) {
  const std::string fields = R"("prompt":"Hello","echo":true,"logprobs":1)";
  open(api::Endpoint::kCompletions, "{" + fields + R"(,"stream":true})");
  const auto num_prompt = static_cast<int32_t>(call_->prompts[0].size());
  const auto got =
      chunks({scored(event(0, ""), 1, num_prompt - 1), event(0, " a"), event(0, " b", FinishReason::kLength)});
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].at_pointer("/choices/0/text"), "Hello a");
  EXPECT_EQ(got[1].at_pointer("/choices/0/text"), " b");
  const auto& logprobs = got[0].at_pointer("/choices/0/logprobs/token_logprobs").as_array();
  ASSERT_GT(logprobs.size(), static_cast<size_t>(num_prompt));
  EXPECT_TRUE(logprobs[0].is_null());
  EXPECT_GE(got[1].at_pointer("/choices/0/logprobs/text_offset/0").as_int64(), 7);
}

TEST_F(ReplyTest, EchoOfThePromptOnlyDropsTheToken) {
  Reply& reply = open(api::Endpoint::kCompletions, R"({"prompt":[[20,21],[22]],"echo":true,"max_tokens":0,"logprobs":0,
                                                       "return_token_ids":true})");
  EXPECT_EQ(call_->requests[0].sampling.max_tokens, 1);
  reply.add(event(0, "x", FinishReason::kLength), to_abort_);
  reply.add(event(1, "x", FinishReason::kLength), to_abort_);
  Progress progress;
  reply.flush(progress);
  const value body = boost::json::parse(progress.whole->body);
  const std::vector<int32_t> ids = {20, 21};
  EXPECT_EQ(std::string(body.at_pointer("/choices/0/text").as_string()), model_.tokenizer->decode(ids, false));
  EXPECT_TRUE(body.at_pointer("/choices/0/token_ids").as_array().empty());
  EXPECT_EQ(body.at_pointer("/choices/0/logprobs/tokens").as_array().size(), 2u);
  EXPECT_EQ(body.at_pointer("/choices/1/logprobs/tokens").as_array().size(), 1u);
}

TEST_F(ReplyTest, ChatEchoesTheLastMessageOfItsRole) {
  const std::string messages = R"("messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Well"}])";
  Reply& reply = open(api::Endpoint::kChat, "{" + messages + R"(,"echo":true})");
  reply.add(event(0, " then", FinishReason::kLength), to_abort_);
  Progress progress;
  reply.flush(progress);
  EXPECT_EQ(boost::json::parse(progress.whole->body).at_pointer("/choices/0/message/content"), "Well then");

  open(api::Endpoint::kChat, "{" + messages + R"(,"echo":true,"stream":true})");
  const auto got = chunks({event(0, " then", FinishReason::kLength)});
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[1].at_pointer("/choices/0/delta/content"), "Well");
  EXPECT_EQ(got[2].at_pointer("/choices/0/delta/content"), " then");

  open(api::Endpoint::kChat, R"({"messages":[{"role":"user","content":"Hi"}],"echo":true})");
  EXPECT_TRUE(call_->echoes.empty()) << "the user's message is not the assistant's";
}

TEST_F(ReplyTest, StreamIntervalGathersTokensButTheFirstAndLast) {
  open(api::Endpoint::kCompletions, R"({"prompt":"a","stream":true,"stream_interval":3})");
  std::vector<TokenEvent> events;
  for (int i = 0; i < 6; ++i) events.push_back(event(0, "x"));
  events.push_back(event(0, "x", FinishReason::kLength));
  const auto got = chunks(events);
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[2].at_pointer("/choices/0/text"), "xxx");
  EXPECT_EQ(got[0].at_pointer("/choices/0/text"), "x");
  EXPECT_EQ(got[1].at_pointer("/choices/0/text"), "xxx");
}

}  // namespace
}  // namespace ingot::serve
