// From bodies to requests: ids, seeds, lengths, template, refusals.
#include "ingot/serve/prepare.h"

#include "tests/support/tiny_model.h"
#include <gtest/gtest.h>

namespace ingot::serve {
namespace {

const ServedModel& model() {
  static const ServedModel tiny = testing::tiny_model(INGOT_SOURCE_DIR);
  return tiny;
}

api::Parsed<PreparedCall> prepare_body(api::Endpoint endpoint, std::string body, CallInput input = {}) {
  input.body = std::move(body);
  return prepare(endpoint, model(), input, std::atomic<bool>(false));
}

std::string text_of(const std::vector<int32_t>& ids) { return model().tokenizer->decode(ids, false); }

TEST(Prepare, MakesNChildrenOfEachPrompt) {
  const auto call =
      prepare_body(api::Endpoint::kCompletions, R"({"prompt":["One","Two three"],"n":2,"seed":40,"max_tokens":5})");
  ASSERT_TRUE(call) << call.error().message;
  ASSERT_EQ(call->requests.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    const Request& request = call->requests[i];
    EXPECT_EQ(static_cast<uint64_t>(request.id), static_cast<uint64_t>(call->requests[0].id) + i);
    EXPECT_EQ(text_of(request.prompt), i < 2 ? "One" : "Two three");
    EXPECT_EQ(request.sampling.seed, 40 + i % 2);
    EXPECT_EQ(request.sampling.max_tokens, 5);
    EXPECT_EQ(request.sampling.eos_token_ids, std::vector<int32_t>{testing::kTinyImEnd});
  }
  EXPECT_EQ(call->prompts.size(), 2u);
  EXPECT_TRUE(call->head.id.starts_with("cmpl-"));
  EXPECT_EQ(call->head.model, "tiny");
}

TEST(Prepare, DrawsDifferentSeedsWhereNoneIsGiven) {
  const auto call = prepare_body(api::Endpoint::kCompletions, R"({"prompt":"One","n":3})");
  ASSERT_TRUE(call);
  EXPECT_NE(call->requests[0].sampling.seed, call->requests[1].sampling.seed);
  EXPECT_NE(call->requests[1].sampling.seed, call->requests[2].sampling.seed);
}

TEST(Prepare, NeverGivesTheSameIdTwice) {
  const auto first = prepare_body(api::Endpoint::kCompletions, R"({"prompt":"a","n":3})");
  const auto second = prepare_body(api::Endpoint::kCompletions, R"({"prompt":"a"})");
  EXPECT_GT(static_cast<uint64_t>(second->requests[0].id), static_cast<uint64_t>(first->requests[2].id));
}

TEST(Prepare, RendersTheTemplate) {
  const auto call = prepare_body(api::Endpoint::kChat, R"({"messages":[{"role":"user","content":"Hello"}]})");
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(text_of(call->prompts[0]), "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(call->prompts[0][0], testing::kTinyImStart);
  EXPECT_EQ(call->requests[0].sampling.max_tokens, 2048 - static_cast<int32_t>(call->prompts[0].size()));
}

TEST(Prepare, ContinuesTheFinalMessage) {
  const auto call =
      prepare_body(api::Endpoint::kChat,
                   R"({"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hi you"}],
                                     "add_generation_prompt":false,"continue_final_message":true})");
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(text_of(call->prompts[0]), "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHi you");
}

TEST(Prepare, ShowsThePromptOnlyWhenAsked) {
  const auto call = prepare_body(api::Endpoint::kChat, R"({"messages":[{"role":"user","content":"Hello"}],
                                                           "return_token_ids":true,"return_prompt_text":true})");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->prompt_echo.token_ids, call->prompts[0]);
  EXPECT_EQ(call->prompt_echo.text, text_of(call->prompts[0]));
  const auto silent = prepare_body(api::Endpoint::kChat, R"({"messages":[{"role":"user","content":"Hello"}]})");
  EXPECT_FALSE(silent->prompt_echo.token_ids);
  EXPECT_FALSE(silent->prompt_echo.text);
}

TEST(Prepare, HeadersWinOverTheBody) {
  CallInput input;
  input.request_id = "from-header";
  input.priority = -3;
  const auto call =
      prepare_body(api::Endpoint::kCompletions, R"({"prompt":"a","request_id":"from-body","priority":9})", input);
  ASSERT_TRUE(call);
  EXPECT_EQ(call->head.id, "cmpl-from-header");
  EXPECT_EQ(call->requests[0].priority, -3);
}

TEST(Prepare, RefusesAPromptThatDoesNotFit) {
  std::string ids = "[";
  for (int i = 0; i < 2048; ++i) ids += "9,";
  const auto call = prepare_body(api::Endpoint::kCompletions, R"({"prompt":)" + ids + R"(9],"max_tokens":1})");
  ASSERT_FALSE(call);
  EXPECT_EQ(call.error().status, 400);
  EXPECT_EQ(call.error().param, "input_tokens");
}

TEST(Prepare, RefusesChildrenThatWouldFillMemory) {
  std::string ids = "[";
  for (int i = 0; i < 1999; ++i) ids += "9,";
  const std::string body = R"({"prompt":[)" + ids + "9]," + ids + "9]," + ids + R"(9]],"n":16384,"max_tokens":1})";
  const auto call = prepare_body(api::Endpoint::kCompletions, body);
  ASSERT_FALSE(call);
  EXPECT_EQ(call.error().param, "n");
}

TEST(Prepare, ChatNeedsATemplate) {
  ServedModel bare = model();
  bare.chat_template = nullptr;
  CallInput input;
  input.body = R"({"messages":[{"role":"user","content":"Hello"}]})";
  const auto call = prepare(api::Endpoint::kChat, bare, input, std::atomic<bool>(false));
  ASSERT_FALSE(call);
  EXPECT_EQ(call.error().status, 400);
}

TEST(Prepare, ATrustedRequestMayBringItsTemplate) {
  ServedModel trusting = model();
  CallInput input;
  input.body = R"({"messages":[{"role":"user","content":"Hello"}],"chat_template":"<{{ messages[0].content }}>",
                   "return_prompt_text":true})";
  EXPECT_EQ(prepare(api::Endpoint::kChat, trusting, input, std::atomic<bool>(false)).error().param, "chat_template");
  trusting.defaults.chat.trusts_request_template = true;
  const auto call = prepare(api::Endpoint::kChat, trusting, input, std::atomic<bool>(false));
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(call->prompt_echo.text, "<Hello>");
  input.body = R"({"messages":[{"role":"user","content":"Hello"}],"chat_template":"{% if %}"})";
  const auto wrong = prepare(api::Endpoint::kChat, trusting, input, std::atomic<bool>(false));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().status, 400);
  EXPECT_EQ(wrong.error().param, "chat_template");
}

TEST(Prepare, users_35_one_bos) {
  ServedModel with_bos = model();
  with_bos.bos_token = "<|endoftext|>";
  with_bos.tokenizer = testing::tiny_tokenizer(INGOT_SOURCE_DIR, R"({"type":"TemplateProcessing",
      "single":[{"SpecialToken":{"id":"<|endoftext|>","type_id":0}},{"Sequence":{"id":"A","type_id":0}}],"pair":[],
      "special_tokens":{"<|endoftext|>":{"id":"<|endoftext|>","ids":[0],"tokens":["<|endoftext|>"]}}})");
  for (const char* prompt : {"Hi", "<|endoftext|>Hi"}) {
    CallInput input;
    input.body = std::string(R"({"prompt":")") + prompt + R"("})";
    const auto call = prepare(api::Endpoint::kCompletions, with_bos, input, std::atomic<bool>(false));
    ASSERT_TRUE(call) << call.error().message;
    EXPECT_EQ(text_of(call->prompts[0]), "<|endoftext|>Hi") << prompt;
  }
}

TEST(Prepare, ForcedUsageReachesEveryStream) {
  ServedModel forced = model();
  forced.force_include_usage = true;
  CallInput input;
  input.body = R"({"prompt":"a","stream":true})";
  const auto call = prepare(api::Endpoint::kCompletions, forced, input, std::atomic<bool>(false));
  ASSERT_TRUE(call);
  EXPECT_TRUE(call->options.include_usage);
  EXPECT_TRUE(call->options.continuous_usage_stats);
}

TEST(Prepare, users_9_bad_words_bare_and_behind_a_space) {
  const auto call = prepare_body(api::Endpoint::kCompletions, R"({"prompt":"a","bad_words":["  world"]})");
  ASSERT_TRUE(call) << call.error().message;
  const auto& words = call->requests[0].sampling.bad_words;
  const auto bare = model().tokenizer->encode("world", false).value();
  const auto spaced = model().tokenizer->encode(" world", false).value();
  ASSERT_FALSE(words.empty());
  EXPECT_EQ(words[0], bare);
  EXPECT_EQ(words.size(), bare.size() == spaced.size() && bare[0] != spaced[0] ? 2u : 1u);
  const auto nothing = prepare_body(api::Endpoint::kCompletions, R"({"prompt":"a","bad_words":["a","  "]})");
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().param, "bad_words");
}

TEST(Prepare, TruncatesFromTheSideAskedFor) {
  const auto prompt = [](const std::string& fields) {
    const auto call = prepare_body(api::Endpoint::kCompletions, R"({"prompt":[10,11,12,13],)" + fields + "}");
    EXPECT_TRUE(call) << call.error().message;
    return call->requests[0].prompt;
  };
  EXPECT_EQ(prompt(R"("truncate_prompt_tokens":2)"), (std::vector<int32_t>{10, 11}));
  EXPECT_EQ(prompt(R"("truncate_prompt_tokens":2,"truncation_side":"left")"), (std::vector<int32_t>{12, 13}));
  EXPECT_EQ(prompt(R"("truncate_prompt_tokens":-1,"max_tokens":2046)"), (std::vector<int32_t>{10, 11}));
  EXPECT_EQ(prompt(R"("truncate_prompt_tokens":9)").size(), 4u);
  EXPECT_FALSE(prepare_body(api::Endpoint::kCompletions, R"({"prompt":"a","truncate_prompt_tokens":0})"));
}

TEST(Prepare, users_28_text_beyond_all_bounds_is_not_tokenised) {
  ServedModel bounded = model();
  bounded.max_token_bytes = 3;
  const auto error_of = [&](size_t num_bytes, const std::string& fields) {
    CallInput input;
    input.body = R"({"prompt":")" + std::string(num_bytes, 'x') + "\"" + fields + "}";
    const auto call = prepare(api::Endpoint::kCompletions, bounded, input, std::atomic<bool>(false));
    return call ? "" : call.error().message;
  };
  EXPECT_NE(error_of(4 * 2048, "").find("8192 bytes"), std::string::npos);
  EXPECT_NE(error_of(3 * 2048, "").find("input tokens"), std::string::npos) << "counted in tokens";
  EXPECT_EQ(error_of(4 * 2048, R"(,"truncate_prompt_tokens":8)"), "");
}

TEST(Prepare, ABiasForEachOfManyChildrenMustNotFillMemory) {
  std::string bias = R"("logit_bias":{"0":1)";
  for (int id = 1; id < testing::kTinyVocabSize; ++id) bias += ",\"" + std::to_string(id) + "\":1";
  const auto call =
      prepare_body(api::Endpoint::kCompletions, R"({"prompt":["a","b","c","d","e","f"],"n":16384,)" + bias + "}}");
  ASSERT_FALSE(call);
  EXPECT_EQ(call.error().param, "n");
}

TEST(Prepare, AContinuedMessageKeepsItsRole) {
  const auto call =
      prepare_body(api::Endpoint::kChat,
                   R"({"messages":[{"role":"assistant","content":"Yes"},{"role":"user","content":"I am "}],
                                     "add_generation_prompt":false,"continue_final_message":true})");
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(call->head.role, "user");
  EXPECT_EQ(text_of(call->prompts[0]).substr(text_of(call->prompts[0]).size() - 5), "I am ");
}

TEST(Prepare, AChatScoresItsPromptOnceForAllChoices) {
  const std::string fields = R"(,"n":2,"prompt_logprobs":1})";
  const auto chat = prepare_body(api::Endpoint::kChat, R"({"messages":[{"role":"user","content":"Hi"}])" + fields);
  EXPECT_TRUE(chat->requests[0].sampling.num_prompt_logprobs);
  EXPECT_FALSE(chat->requests[1].sampling.num_prompt_logprobs);
  const auto plain = prepare_body(api::Endpoint::kCompletions, R"({"prompt":"Hi")" + fields);
  EXPECT_TRUE(plain->requests[1].sampling.num_prompt_logprobs);
}

}  // namespace
}  // namespace ingot::serve
