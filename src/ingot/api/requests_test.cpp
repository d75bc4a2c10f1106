// Runs the request cases of tests/api: body → parsed values, or error.
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingot/api/chat.h"
#include "ingot/api/completion.h"
#include "ingot/api/test_model.h"

namespace ingot::api {
namespace {

namespace json = boost::json;

template <class T>
json::value or_null(const std::optional<T>& value) {
  return value ? json::value_from(*value) : json::value(nullptr);
}

void describe(const RequestOptions& options, json::object& out) {
  out["model"] = options.model;
  out["stream"] = options.stream;
  out["include_usage"] = options.include_usage;
  out["continuous_usage_stats"] = options.continuous_usage_stats;
  out["request_id"] = or_null(options.request_id);
  out["priority"] = options.priority;
  out["cache_salt"] = options.cache_salt;
  out["truncate_prompt_tokens"] = or_null(options.truncate_prompt_tokens);
  out["truncates_left"] = options.truncates_left;
  out["stream_interval"] = options.stream_interval;
  out["return_token_ids"] = options.return_token_ids;
  out["return_tokens_as_token_ids"] = options.return_tokens_as_token_ids;
}

void describe(const SamplingFields& sampling, json::object& out) {
  out["n"] = sampling.n;
  out["beam_length_penalty"] = or_null(sampling.beam_length_penalty);
  out["seed"] = or_null(sampling.seed);
  out["max_tokens"] = or_null(sampling.max_tokens);
  out["max_tokens_field"] = sampling.max_tokens_field;
  out["temperature"] = sampling.params.temperature;
  out["top_p"] = sampling.params.top_p;
  out["top_p_positive"] = sampling.params.top_p > 0;
  out["top_k"] = sampling.params.top_k;
  out["min_p"] = sampling.params.min_p;
  out["stop"] = json::value_from(sampling.stop);
  out["stop_token_ids"] = json::value_from(sampling.params.stop_token_ids);
  out["eos_token_ids"] = json::value_from(sampling.params.eos_token_ids);
  out["num_logprobs"] = or_null(sampling.params.num_logprobs);
  out["skip_special_tokens"] = sampling.skip_special_tokens;
  out["include_stop_str_in_output"] = sampling.include_stop_str_in_output;
}

void describe_adjustments(const SamplingFields& sampling, json::object& out) {
  const SamplingParams& params = sampling.params;
  out["repetition_penalty"] = params.repetition_penalty;
  out["frequency_penalty"] = params.frequency_penalty;
  out["presence_penalty"] = params.presence_penalty;
  out["logit_bias"] = json::value_from(params.logit_bias);
  out["allowed_token_ids"] = json::value_from(params.allowed_token_ids);
  out["bad_words"] = json::value_from(sampling.bad_words);
  out["min_tokens"] = params.min_tokens;
  out["late_token_ids"] = json::value_from(params.late_token_ids);
  out["logprob_token_ids"] = json::value_from(params.logprob_token_ids);
  out["num_prompt_logprobs"] = or_null(params.num_prompt_logprobs);
  const RepetitionDetection& loops = params.repetition_detection;
  out["repetition_detection"] = {loops.max_pattern_size, loops.min_pattern_size, loops.min_count};
  out["echo"] = sampling.echo;
  out["prompt_only"] = sampling.prompt_only;
}

json::object describe(const CompletionRequest& request) {
  json::object out;
  describe(request.options, out);
  describe(request.sampling, out);
  describe_adjustments(request.sampling, out);
  json::array prompts;
  for (const Prompt& prompt : request.prompts) {
    prompts.push_back(std::visit([](const auto& form) { return json::value_from(form); }, prompt));
  }
  out["prompts"] = std::move(prompts);
  out["add_special_tokens"] = request.add_special_tokens;
  return out;
}

json::object describe(const ChatRequest& request) {
  json::object out;
  describe(request.options, out);
  describe(request.sampling, out);
  describe_adjustments(request.sampling, out);
  out["return_prompt_text"] = request.return_prompt_text;
  out["last_role"] = request.last_role;
  out["last_text"] = request.last_text;
  out["reply_role"] = or_null(request.reply_role);
  out["continued_text"] = or_null(request.continued_text);
  out["add_special_tokens"] = request.add_special_tokens;
  out["variables"] = request.variables;
  out["messages"] = request.variables.at("messages");
  out["variables_tools"] = request.variables.at("tools");
  return out;
}

// Numbers are compared as floats; objects by text, so that key order counts.
void expect_same(const json::value& got, const json::value& wanted, std::string_view what) {
  if (wanted.is_double()) {
    EXPECT_FLOAT_EQ(got.to_number<float>(), wanted.get_double()) << what;
  } else {
    EXPECT_EQ(json::serialize(got), json::serialize(wanted)) << what;
  }
}

void expect_error(const ApiError& got, const json::object& wanted) {
  EXPECT_EQ(got.status, wanted.at("status").as_int64());
  EXPECT_EQ(got.type, std::string(wanted.at("type").as_string()));
  if (const json::value* param = wanted.if_contains("param")) {
    EXPECT_EQ(got.param, std::string(param->as_string()));
  }
  if (const json::value* message = wanted.if_contains("message")) {
    EXPECT_EQ(got.message, std::string(message->as_string()));
  }
  if (const json::value* part = wanted.if_contains("message_has")) {
    EXPECT_THAT(got.message, testing::HasSubstr(std::string(part->as_string())));
  }
}

template <class Request>
void check(const Parsed<Request>& got, const json::object& test) {
  if (const json::value* error = test.if_contains("error")) {
    ASSERT_FALSE(got.has_value()) << json::serialize(describe(*got));
    return expect_error(got.error(), error->as_object());
  }
  ASSERT_TRUE(got.has_value()) << got.error().message;
  const json::object values = describe(*got);
  for (const auto& [key, wanted] : test.at("values").as_object()) expect_same(values.at(key), wanted, key);
}

struct Case {
  std::string endpoint;
  json::object test;
};

std::vector<Case> load_cases() {
  std::vector<Case> cases;
  for (const char* endpoint : {"completions", "chat"}) {
    std::ifstream file(std::string(INGOT_SOURCE_DIR "/tests/api/") + endpoint + ".json");
    std::stringstream text;
    text << file.rdbuf();
    const json::value tests = json::parse(text.str());
    for (const json::value& test : tests.as_array()) cases.push_back({endpoint, test.as_object()});
  }
  return cases;
}

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << json::serialize(c.test); }

class Requests : public testing::TestWithParam<Case> {};

TEST_P(Requests, ParseAsTheDataSays) {
  const auto& [endpoint, test] = GetParam();
  const json::value* raw = test.if_contains("raw");
  const std::string body = raw ? std::string(raw->as_string()) : json::serialize(test.at("body"));
  ModelDefaults model = test_model();
  if (test.contains("content_format")) model.chat.content_format = ContentFormat::kParts;
  if (endpoint == "chat") {
    check(parse_chat_request(body, model), test);
  } else {
    check(parse_completion_request(body, model), test);
  }
}

INSTANTIATE_TEST_SUITE_P(Data, Requests, testing::ValuesIn(load_cases()), [](const auto& info) {
  return info.param.endpoint + "_" + std::string(info.param.test.at("name").as_string());
});

TEST(Requests, ModelsDefaultsStandInForNulls) {
  ModelDefaults model = test_model();
  model.temperature = 0.6, model.top_p = 0.9, model.top_k = 20, model.min_p = 0.1;
  model.repetition_penalty = 1.1;
  const auto silent = parse_completion_request(R"({"prompt":"a","top_p":null})", model);
  EXPECT_FLOAT_EQ(silent->sampling.params.temperature, 0.6f);
  EXPECT_FLOAT_EQ(silent->sampling.params.top_p, 0.9f);
  EXPECT_EQ(silent->sampling.params.top_k, 20);
  EXPECT_FLOAT_EQ(silent->sampling.params.min_p, 0.1f);
  EXPECT_FLOAT_EQ(silent->sampling.params.repetition_penalty, 1.1f);
  const auto loud = parse_completion_request(
      R"({"prompt":"a","top_p":1,"top_k":0,"temperature":1,"min_p":0,"repetition_penalty":1})", model);
  EXPECT_FLOAT_EQ(loud->sampling.params.repetition_penalty, 1.0f);
  EXPECT_FLOAT_EQ(loud->sampling.params.temperature, 1.0f);
  EXPECT_FLOAT_EQ(loud->sampling.params.top_p, 1.0f);
  EXPECT_EQ(loud->sampling.params.top_k, 0);
  EXPECT_FLOAT_EQ(loud->sampling.params.min_p, 0.0f);
}

TEST(Requests, DeveloperStaysWhereTheTemplateKnowsIt) {
  ModelDefaults model = test_model();
  model.chat.has_developer_role = true;
  const auto request = parse_chat_request(R"({"messages":[{"role":"developer","content":"x"}]})", model);
  EXPECT_EQ(request->variables.at("messages").at(0).at("role"), "developer");
}

TEST(Requests, ServersTemplateKwargsLieUnderTheRequests) {
  ModelDefaults model = test_model();
  model.chat.template_kwargs = {{"a", 1}, {"b", 2}};
  const auto request =
      parse_chat_request(R"({"messages":[{"role":"user","content":"x"}],"chat_template_kwargs":{"b":3}})", model);
  EXPECT_EQ(request->variables.at("a"), 1);
  EXPECT_EQ(request->variables.at("b"), 3);
}

TEST(Requests, LogprobsWithoutCap) {
  ModelDefaults model = test_model();
  model.max_logprobs = -1;
  for (const char* k : {"-1", "1000", "9223372036854775807"}) {
    const auto all = parse_completion_request(R"({"prompt":"a","logprobs":)" + std::string(k) + "}", model);
    EXPECT_EQ(all->sampling.params.num_logprobs, -1) << k;
  }
  EXPECT_EQ(parse_completion_request(R"({"prompt":"a","logprobs":999})", model)->sampling.params.num_logprobs, 999);
}

TEST(Requests, AtMost1024Prompts) {
  json::object body{{"prompt", json::array(1024, "a")}};
  EXPECT_EQ(parse_completion_request(json::serialize(body), test_model())->prompts.size(), 1024);
  body["prompt"].as_array().push_back("a");
  EXPECT_EQ(parse_completion_request(json::serialize(body), test_model()).error().param, "prompt");
  body["prompt"] = json::array(5000, 1);  // one prompt of 5000 ids
  EXPECT_EQ(parse_completion_request(json::serialize(body), test_model())->prompts.size(), 1);
}

TEST(CutToContinue, EndsBehindTheLastOccurrence) {
  EXPECT_EQ(cut_to_continue("<a>One<b>One<end>\n", "One").value(), "<a>One<b>One");
  EXPECT_EQ(cut_to_continue("<b>One, <end>", " One, ").value(), "<b>One, ");
  EXPECT_EQ(cut_to_continue("<b>One,<end>", "One, ").value(), "<b>One,");
  EXPECT_EQ(cut_to_continue("<b>Two<end>", "One").error().status, 400);
}

}  // namespace
}  // namespace ingot::api
