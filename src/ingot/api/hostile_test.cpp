// Bodies that mean harm: every answer is a value or a 4xx whose body is JSON; nothing crashes.
#include <random>
#include <string>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ingot/api/chat.h"
#include "ingot/api/completion.h"
#include "ingot/api/json_reader.h"
#include "ingot/api/test_model.h"

namespace ingot::api {
namespace {

namespace json = boost::json;

constexpr const char* kFields[] = {
    // clang-format off
    "messages", "model", "frequency_penalty", "logit_bias", "logprobs", "top_logprobs", "max_tokens",
    "max_completion_tokens", "n", "presence_penalty", "response_format", "seed", "stop", "stream", "stream_options",
    "temperature", "top_p", "tools", "tool_choice", "reasoning_effort", "thinking_token_budget", "include_reasoning",
    "parallel_tool_calls", "user", "use_beam_search", "top_k", "min_p", "repetition_penalty", "length_penalty",
    "stop_token_ids", "include_stop_str_in_output", "ignore_eos", "min_tokens", "skip_special_tokens",
    "spaces_between_special_tokens", "truncate_prompt_tokens", "truncation_side", "prompt_logprobs",
    "logprob_token_ids", "allowed_token_ids", "bad_words", "echo", "add_generation_prompt", "continue_final_message",
    "add_special_tokens", "documents", "chat_template", "chat_template_kwargs", "media_io_kwargs",
    "mm_processor_kwargs", "structured_outputs", "priority", "request_id", "session_id",
    "return_tokens_as_token_ids", "return_token_ids", "return_prompt_text", "cache_salt", "kv_transfer_params",
    "ec_transfer_params", "vllm_xargs", "repetition_detection", "stream_interval", "prompt", "suffix",
    "prompt_embeds",
    // clang-format on
};

constexpr const char* kValues[] = {"null",
                                   "true",
                                   "false",
                                   "0",
                                   "-1",
                                   "5",
                                   "5.5",
                                   "1e308",
                                   "-1e308",
                                   "18446744073709551615",
                                   "1e400",
                                   "\"\"",
                                   "\"x\"",
                                   "\"5\"",
                                   "\"nan\"",
                                   "\"-inf\"",
                                   "\"\\u0000\"",
                                   "[]",
                                   "[null]",
                                   "[1]",
                                   "[-1]",
                                   "[5.5]",
                                   "[\"a\"]",
                                   "[[]]",
                                   "[[1]]",
                                   "[[\"a\"]]",
                                   "[{}]",
                                   "[[[[[[]]]]]]",
                                   "{}",
                                   "{\"a\":1}",
                                   "{\"type\":\"text\"}",
                                   "{\"type\":{}}",
                                   "{\"include_usage\":[]}",
                                   "[{\"role\":\"user\"}]",
                                   "[{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":{}}]}]"};

template <class Request>
void expect_answer(const Parsed<Request>& got, const std::string& body) {
  if (got) return;
  EXPECT_TRUE(got.error().status == 400 || got.error().status == 404) << body;
  const json::value envelope = json::parse(error_body(got.error()));
  EXPECT_EQ(envelope.at("error").at("code").as_int64(), got.error().status) << body;
  EXPECT_FALSE(envelope.at("error").at("message").as_string().empty()) << body;
}

void try_both(const std::string& body) {
  expect_answer(parse_chat_request(body, test_model()), body);
  expect_answer(parse_completion_request(body, test_model()), body);
}

TEST(Hostile, users_32_every_field_of_every_type) {
  for (const char* field : kFields) {
    for (const char* value : kValues) {
      const std::string pair = fmt::format("\"{}\":{}", field, value);
      try_both("{" + pair + "}");
      try_both(R"({"prompt":"a","messages":[{"role":"user","content":"a"}],)" + pair + "}");
      try_both(R"({"stream":true,"logprobs":1,"prompt":"a","messages":[{"role":"user","content":"a"}],)" + pair + "}");
    }
  }
}

TEST(Hostile, users_32_every_place_in_a_message) {
  constexpr const char* kShapes[] = {
      R"({"messages":%})",
      R"({"messages":[%]})",
      R"({"messages":[{"role":%,"content":"a"}]})",
      R"({"messages":[{"role":"user","content":%}]})",
      R"({"messages":[{"role":"user","content":[%]}]})",
      R"({"messages":[{"role":"user","content":[{"type":%}]}]})",
      R"({"messages":[{"role":"user","content":[{"type":"text","text":%}]}]})",
      R"({"messages":[{"role":"assistant","tool_calls":%}]})",
      R"({"messages":[{"role":"assistant","tool_calls":[%]}]})",
      R"({"messages":[{"role":"assistant","tool_calls":[{"type":%,"function":{}}]}]})",
      R"({"messages":[{"role":"assistant","tool_calls":[{"function":%}]}]})",
      R"({"messages":[{"role":"assistant","tool_calls":[{"function":{"arguments":%}}]}]})",
      R"({"messages":[{"role":"assistant","content":%}],"continue_final_message":true,"add_generation_prompt":false})",
      R"({"messages":[{"role":"assistant","reasoning":%,"name":%,"tool_call_id":%}]})",
      R"({"stream":true,"stream_options":{"include_usage":%}})",
      R"({"prompt":[%,%]})",
      R"({"prompt":[[%],[1]]})",
  };
  for (std::string shape : kShapes) {
    for (const char* value : kValues) {
      std::string body;
      for (char c : shape) c == '%' ? body += value : body += c;
      try_both(body);
    }
  }
}

TEST(Hostile, users_32_deep_nesting) {
  for (const char* open : {"[", "{\"a\":", "{\"prompt\":["}) {
    std::string body;
    for (int i = 0; i < 100000; ++i) body += open;
    EXPECT_EQ(parse_body(body).error().status, 400);
  }
  const auto nested = [](int depth) { return "{\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}"; };
  EXPECT_TRUE(parse_body(nested(127)).has_value());
  EXPECT_EQ(parse_body(nested(128)).error().type, "Bad Request");
  // Tool call arguments are JSON in JSON.
  const std::string arguments(100000, '[');
  const auto chat = parse_chat_request(
      R"({"messages":[{"role":"assistant","tool_calls":[{"function":{"arguments":")" + arguments + R"("}}]}]})",
      test_model());
  ASSERT_TRUE(chat.has_value());
  EXPECT_EQ(json::serialize(chat->variables.at("messages").at(0).at("tool_calls").at(0)),
            R"({"function":{"arguments":{}}})");
}

TEST(Hostile, users_31_text_that_is_not_utf8) {
  for (const char* text : {"\xff\xfe", "\xc4\xe3\xba\xc3", "\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                           "\xe2\x82", "a\xf0\x9f\x98", "\xf8\x88\x80\x80\x80"}) {
    const std::string body = "{\"prompt\":\"" + std::string(text) + "\"}";
    const auto got = parse_body(body);
    ASSERT_FALSE(got.has_value()) << body;
    EXPECT_EQ(got.error().status, 400);
    EXPECT_NO_THROW(json::parse(error_body(got.error())));
    EXPECT_FALSE(parse_body("{\"" + std::string(text) + "\":1}").has_value());
  }
}

TEST(Hostile, LongListsOfErrorsStayShort) {
  std::string body = R"({"prompt":[1)";
  for (int i = 0; i < 100000; ++i) body += ",{}";
  const auto got = parse_completion_request(body + "]}", test_model());
  EXPECT_TRUE(got.error().message.starts_with("100000 validation errors:"));
  EXPECT_LT(got.error().message.size(), 10000);
  const auto long_input = parse_chat_request(R"({"x":")" + std::string(1000000, 'a') + "\"}", test_model());
  EXPECT_LT(long_input.error().message.size(), 2000);
}

// Bytes flipped, cut and doubled at random.
TEST(Hostile, MutatedBodies) {
  const std::string seed_body =
      R"({"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"h\u00e9\ud83d\ude00"}]},{"role":)"
      R"("assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":)"
      R"("{\"a\":1}"}}]}],"prompt":["a",[1,2]],"stop":["x"],"stream":true,"stream_options":{"include_usage":true}})";
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string body = seed_body;
    for (unsigned edits = random() % 4 + 1; edits > 0 && !body.empty(); --edits) {
      const size_t at = random() % body.size();
      switch (random() % 4) {
        case 0:
          body[at] = static_cast<char>(random());
          break;
        case 1:
          body.erase(at, random() % 8);
          break;
        case 2:
          body.insert(at, body.substr(random() % body.size(), random() % 16));
          break;
        default:
          body[at] = "{}[]\",:\\0e-"[random() % 11];
      }
    }
    try_both(body);
  }
}

}  // namespace
}  // namespace ingot::api
