// Replies letter by letter: whole bodies, chunks, logprobs, errors, model cards.
#include <limits>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingot/api/chunk.h"
#include "ingot/api/error.h"
#include "ingot/api/models.h"
#include "ingot/api/reply_id.h"
#include "ingot/api/response.h"
#include "ingot/api/test_model.h"

namespace ingot::api {
namespace {

namespace json = boost::json;

ReplyHead head(std::string id, int32_t num_logprobs = 0) {
  return {.id = std::move(id), .created = 1, .model = "m", .system_fingerprint = "fp", .num_logprobs = num_logprobs};
}

Choice choice(std::string text, std::optional<FinishReason> finish = {}, StopReason stop = {}) {
  Choice out;
  out.text = std::move(text);
  out.finish_reason = finish;
  out.stop_reason = std::move(stop);
  return out;
}

TokenLogprob token(LogprobToken sampled, std::vector<LogprobToken> best = {}) {
  return {std::move(sampled), std::move(best)};
}

TEST(ChatBody, HasEveryFieldInOrder) {
  const std::vector<Choice> choices = {choice("Hi", FinishReason::kStop)};
  EXPECT_EQ(chat_body(head("chatcmpl-1"), choices, {.prompt_tokens = 9, .completion_tokens = 3}),
            R"({"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{)"
            R"("role":"assistant","content":"Hi","refusal":null,"annotations":null,"audio":null,"function_call":null,)"
            R"("reasoning":null},"logprobs":null,"finish_reason":"stop","stop_reason":null,"token_ids":null,)"
            R"("routed_experts":null}],"service_tier":null,"system_fingerprint":"fp","usage":{"prompt_tokens":9,)"
            R"("total_tokens":12,"completion_tokens":3,"prompt_tokens_details":null,"completion_tokens_details":null},)"
            R"("prompt_logprobs":null,"prompt_token_ids":null,"prompt_text":null,"kv_transfer_params":null,)"
            R"("ec_transfer_params":null,"metrics":null})");
}

TEST(ChatBody, ShowsThePromptAndIdsWhenAsked) {
  std::vector<Choice> choices = {choice("Hi", FinishReason::kStop, 7)};
  choices[0].token_ids = {5, 7};
  ReplyHead no_fingerprint = head("x");
  no_fingerprint.system_fingerprint.clear();
  const json::value body = json::parse(chat_body(no_fingerprint, choices, {.cached_tokens = 4}, {{{1, 2}}, "prompt"}));
  EXPECT_EQ(json::serialize(body.at("choices").at(0).at("token_ids")), "[5,7]");
  EXPECT_EQ(body.at("choices").at(0).at("stop_reason"), 7);
  EXPECT_EQ(json::serialize(body.at("prompt_token_ids")), "[1,2]");
  EXPECT_EQ(body.at("prompt_text"), "prompt");
  EXPECT_TRUE(body.at("system_fingerprint").is_null());
  EXPECT_EQ(json::serialize(body.at("usage").at("prompt_tokens_details")),
            R"({"cached_tokens":4,"created_cache_tokens":null,"multimodal_tokens":null})");
}

TEST(CompletionBody, HasEveryFieldInOrder) {
  const std::vector<Choice> choices = {choice("a", FinishReason::kLength), choice("b", FinishReason::kStop, "END")};
  EXPECT_EQ(completion_body(head("cmpl-1"), choices, {.prompt_tokens = 1, .completion_tokens = 2}),
            R"({"id":"cmpl-1","object":"text_completion","created":1,"model":"m","choices":[{"index":0,"text":"a",)"
            R"("logprobs":null,"finish_reason":"length","stop_reason":null,"token_ids":null,"prompt_logprobs":null,)"
            R"("prompt_token_ids":null,"routed_experts":null},{"index":0,"text":"b","logprobs":null,)"
            R"("finish_reason":"stop","stop_reason":"END","token_ids":null,"prompt_logprobs":null,)"
            R"("prompt_token_ids":null,"routed_experts":null}],"service_tier":null,"system_fingerprint":"fp","usage":{)"
            R"("prompt_tokens":1,"total_tokens":3,"completion_tokens":2,"prompt_tokens_details":null,)"
            R"("completion_tokens_details":null},"kv_transfer_params":null,"ec_transfer_params":null,"metrics":null})");
}

TEST(ChatChunks, AreTheWireExamples) {
  ChunkWriter chunks(Endpoint::kChat, head("chatcmpl-1"), {});
  EXPECT_EQ(chunks.role(0),
            R"({"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,)"
            R"("delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],)"
            R"("prompt_token_ids":null,"prompt_text":null})");
  EXPECT_EQ(chunks.delta(choice("Hi")),
            R"({"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,)"
            R"("delta":{"content":"Hi"},"logprobs":null,"finish_reason":null,"token_ids":null}]})");
  EXPECT_EQ(chunks.delta(choice("", FinishReason::kStop)),
            R"({"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,)"
            R"("delta":{"content":""},"logprobs":null,"finish_reason":"stop","stop_reason":null,"token_ids":null}],)"
            R"("system_fingerprint":"fp"})");
}

TEST(ChatChunks, UsageWhenAsked) {
  ChunkWriter chunks(Endpoint::kChat, head("chatcmpl-1"), {.include_usage = true});
  EXPECT_THAT(chunks.delta(choice("", FinishReason::kStop)), testing::Not(testing::HasSubstr("system_fingerprint")));
  EXPECT_EQ(chunks.usage({.prompt_tokens = 9, .completion_tokens = 3}),
            R"({"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{)"
            R"("prompt_tokens":9,"total_tokens":12,"completion_tokens":3},"system_fingerprint":"fp"})");
  EXPECT_THAT(chunks.usage({.cached_tokens = 8}),
              testing::HasSubstr(R"("prompt_tokens_details":{"cached_tokens":8}})"));
  const Usage running{.prompt_tokens = 9, .completion_tokens = 1};
  const std::string usage = R"(],"usage":{"prompt_tokens":9,"total_tokens":10,"completion_tokens":1})";
  EXPECT_THAT(chunks.role(0, {}, &running), testing::HasSubstr(usage + R"(,"prompt_token_ids":null)"));
  EXPECT_THAT(chunks.delta(choice("Hi"), &running), testing::EndsWith(usage + "}"));
}

TEST(CompletionChunks, CarryAllKeysOfAChoice) {
  ChunkWriter chunks(Endpoint::kCompletions, head("cmpl-1"), {});
  EXPECT_EQ(chunks.delta(choice("Hi")),
            R"({"id":"cmpl-1","object":"text_completion","created":1,"model":"m","choices":[{"index":0,"text":"Hi",)"
            R"("logprobs":null,"finish_reason":null,"stop_reason":null,"prompt_token_ids":null,"token_ids":null}]})");
}

TEST(CompletionLogprobs, OfAnEchoBeginWithNull) {
  Choice echoed = choice("ab", FinishReason::kLength);
  TokenLogprob first = token({5, "a"});
  first.known = false;
  echoed.logprobs = {first, token({6, "b", -1.0f}, {{7, "c", -0.5f}})};
  const json::value body = json::parse(completion_body(head("x", 1), {{echoed}}, {}));
  EXPECT_EQ(json::serialize(body.at_pointer("/choices/0/logprobs")),
            R"({"text_offset":[0,1],"token_logprobs":[null,-1E0],"tokens":["a","b"],)"
            R"("top_logprobs":[null,{"b":-1E0,"c":-5E-1}]})");
}

TEST(PromptLogprobs, AreMapsByIdInBothBodies) {
  Choice scored = choice("", FinishReason::kLength);
  TokenLogprob first = token({5, "a"});
  first.known = false;
  TokenLogprob second = token({6, "b", -2.0f}, {{7, "c", -0.25f}, {6, "b", -2.0f}});
  second.rank = 2;
  scored.prompt_logprobs = {first, second};
  const std::string wanted = R"("prompt_logprobs":[null,{"6":{"logprob":-2.0,"rank":2,"decoded_token":"b"},)"
                             R"("7":{"logprob":-0.25,"rank":1,"decoded_token":"c"}}])";
  EXPECT_THAT(chat_body(head("x"), {{scored}}, {}), testing::HasSubstr(wanted));
  EXPECT_THAT(completion_body(head("x"), {{scored}}, {}), testing::HasSubstr(wanted));
}

TEST(ChatLogprobs, FirstKOfSampledThenRanks) {
  Choice spoken = choice("a");
  const std::vector<LogprobToken> best = {{3, "x", -0.25f}, {4, "é", -0.5f}};
  spoken.logprobs = {token({9, "a", -2.0f}, best), token({3, "x", -0.25f}, best)};
  const auto list = [&](int32_t k) {
    ChunkWriter chunks(Endpoint::kChat, head("c", k), {});
    const json::value chunk = json::parse(chunks.delta(spoken));
    return json::serialize(chunk.at("choices").at(0).at("logprobs"));
  };
  EXPECT_EQ(list(0), R"({"content":[{"token":"a","logprob":-2E0,"bytes":[97],"top_logprobs":[]},)"
                     R"({"token":"x","logprob":-2.5E-1,"bytes":[120],"top_logprobs":[]}]})");
  // The sampled token is outside the best two and displaces the second.
  EXPECT_EQ(list(2),
            R"({"content":[{"token":"a","logprob":-2E0,"bytes":[97],"top_logprobs":[)"
            R"({"token":"a","logprob":-2E0,"bytes":[97]},{"token":"x","logprob":-2.5E-1,"bytes":[120]}]},)"
            R"({"token":"x","logprob":-2.5E-1,"bytes":[120],"top_logprobs":[)"
            R"({"token":"x","logprob":-2.5E-1,"bytes":[120]},{"token":"é","logprob":-5E-1,"bytes":[195,169]}]}]})");
  EXPECT_EQ(json::parse(list(-1)).at("content").at(0).at("top_logprobs").as_array().size(), 3);
}

TEST(CompletionLogprobs, MapsOfUpToKPlusOne) {
  Choice spoken = choice("aé");
  spoken.logprobs = {token({9, "é", -2.0f}, {{3, "x", -0.25f}, {4, "x", -0.5f}}),
                     token({3, "x", -std::numeric_limits<float>::infinity()}, {{3, "x", -0.25f}})};
  const std::vector<Choice> choices = {spoken};
  const json::value body = json::parse(completion_body(head("c", 2), choices, {}));
  // Two ids with one text share a key, the more probable one's.
  EXPECT_EQ(json::serialize(body.at("choices").at(0).at("logprobs")),
            R"({"text_offset":[0,1],"token_logprobs":[-2E0,-9.999E3],"tokens":["é","x"],)"
            R"("top_logprobs":[{"é":-2E0,"x":-2.5E-1},{"x":-9.999E3}]})");
  EXPECT_THAT(completion_body(head("c", 0), choices, {}),
              testing::HasSubstr(R"("top_logprobs":[{"é":-2.0},{"x":-9999.0}])"));
  ReplyHead by_id = head("c", 2);
  by_id.tokens_as_token_ids = true;
  EXPECT_THAT(completion_body(by_id, choices, {}),
              testing::HasSubstr(R"("top_logprobs":[{"token_id:9":-2.0,"token_id:3":-0.25,"token_id:4":-0.5})"));
}

TEST(CompletionLogprobs, users_4_stream_and_plain_agree) {
  ReplyHead top = head("c", 1);
  ChunkWriter chunks(Endpoint::kCompletions, top, {});
  std::vector<TokenLogprob> all = {token({1, "ab", -1.0f}, {{2, "b", -0.5f}}),
                                   token({2, "é", -0.5f}, {{2, "é", -0.5f}}),
                                   token({3, "c", -0.1f}, {{3, "c", -0.1f}})};
  json::array offsets, logprobs;
  // The first text is held back, the second chunk brings two tokens; another choice runs between.
  for (const auto& [text, first, count] : {std::tuple{"", 0, 1}, {"abé", 1, 2}}) {
    Choice part = choice(text);
    part.logprobs.emplace(all.begin() + first, all.begin() + first + count);
    const json::value chunk = json::parse(chunks.delta(part));
    const json::value& shown = chunk.at("choices").at(0).at("logprobs");
    for (const json::value& v : shown.at("text_offset").as_array()) offsets.push_back(v);
    for (const json::value& v : shown.at("top_logprobs").as_array()) logprobs.push_back(v);
    part.index = 3;
    chunks.delta(part);
  }
  Choice whole = choice("abéc");
  whole.logprobs = all;
  const json::value body = json::parse(completion_body(top, std::vector<Choice>{whole}, {}));
  EXPECT_EQ(json::value(offsets), body.at("choices").at(0).at("logprobs").at("text_offset"));
  EXPECT_EQ(json::value(logprobs), body.at("choices").at(0).at("logprobs").at("top_logprobs"));
}

TEST(Replies, users_19_broken_text_becomes_replacement_characters) {
  ChunkWriter chunks(Endpoint::kChat, head("c"), {});
  const json::value chunk = json::parse(chunks.delta(choice("a\xf0\x9f\x98 \xff\"\\\n\x01")));
  EXPECT_EQ(chunk.at("choices").at(0).at("delta").at("content"), "a\ufffd \ufffd\"\\\n\x01");
}

TEST(Errors, AreEnvelopes) {
  EXPECT_EQ(error_body(semantic_error("temperature must be in [0, 2], got 3.0.", "temperature", "3.0")),
            R"~({"error":{"message":"temperature must be in [0, 2], got 3.0. (parameter=temperature, value=3.0)",)~"
            R"~("type":"BadRequestError","param":"temperature","code":400}})~");
  EXPECT_EQ(error_body(http_error(413, "too large")),
            R"({"error":{"message":"too large","type":"Request Entity Too Large","param":null,"code":413}})");
  EXPECT_EQ(
      error_body(unknown_model("x\xff")),
      R"({"error":{"message":"The model `x�` does not exist.","type":"NotFoundError","param":"model","code":404}})");
  EXPECT_EQ(detail_body("Not Found"), R"({"detail":"Not Found"})");
  EXPECT_EQ(unauthorized_body(), R"({"error":"Unauthorized"})");
}

TEST(Errors, OfOtherRoomsBecomeStatuses) {
  const auto status = [](ErrorCode code) { return from_error({code, "x", ""}).status; };
  EXPECT_EQ(status(ErrorCode::kInvalidArgument), 400);
  EXPECT_EQ(status(ErrorCode::kUnsupported), 400);
  EXPECT_EQ(status(ErrorCode::kNotFound), 404);
  EXPECT_EQ(status(ErrorCode::kCorrupt), 500);
  EXPECT_EQ(status(ErrorCode::kIo), 500);
  EXPECT_EQ(status(ErrorCode::kInternal), 500);
  for (ErrorCode code : {ErrorCode::kResourceExhausted, ErrorCode::kUnavailable}) {
    const ApiError error = from_error({code, "x", ""});
    EXPECT_EQ(error.status, 503);
    EXPECT_EQ(error.type, "Service Unavailable");
    EXPECT_GE(error.retry_after_s, 1);
  }
  EXPECT_EQ(from_error({ErrorCode::kIo, "cannot read /home/a/model.gguf: no", ""}).message, "cannot read <path>: no");
}

TEST(Models, OneCardAName) {
  const json::value body = json::parse(models_body(test_model(), "/path", 5));
  EXPECT_EQ(body.at("object"), "list");
  ASSERT_EQ(body.at("data").as_array().size(), 2);
  json::object card = body.at("data").at(1).as_object();
  EXPECT_TRUE(card["permission"].at(0).at("id").as_string().starts_with("modelperm-"));
  card["permission"].at(0).as_object()["id"] = "modelperm-0";
  EXPECT_EQ(json::serialize(card),
            R"({"id":"alias","object":"model","created":5,"owned_by":"vllm","root":"/path","parent":null,)"
            R"("max_model_len":512,"permission":[{"id":"modelperm-0","object":"model_permission","created":5,)"
            R"("allow_create_engine":false,"allow_sampling":true,"allow_logprobs":true,"allow_search_indices":false,)"
            R"("allow_view":true,"allow_fine_tuning":false,"organization":"*","group":null,"is_blocking":false}]})");
}

TEST(ReplyId, HeaderThenBodyThenRandom) {
  EXPECT_EQ(reply_id("cmpl-", "h", "b"), "cmpl-h");
  EXPECT_EQ(reply_id("cmpl-", "", "b"), "cmpl-b");
  EXPECT_THAT(reply_id("cmpl-", "", std::nullopt), testing::MatchesRegex("cmpl-[0-9a-f]{16}"));
  EXPECT_NE(random_hex(16), random_hex(16));
}

}  // namespace
}  // namespace ingot::api
