// Bodies of /tokenize and /detokenize.
#include "ingot/api/tokenize.h"

#include <gtest/gtest.h>

namespace ingot::api {
namespace {

const ModelDefaults kModel = [] {
  ModelDefaults model;
  model.model_names = {"m"};
  model.max_model_len = 8;
  model.vocab_size = 10;
  return model;
}();

TEST(Tokenize, ReadsPromptAndChatForms) {
  const auto prompt = parse_tokenize_request(R"({"prompt":"","return_token_strs":true})", kModel);
  ASSERT_TRUE(prompt);
  EXPECT_EQ(prompt->prompt, "");
  EXPECT_TRUE(prompt->add_special_tokens);
  EXPECT_TRUE(prompt->return_token_strs);
  const auto chat = parse_tokenize_request(R"({"messages":[],"model":"m"})", kModel);
  ASSERT_TRUE(chat);
  EXPECT_FALSE(chat->prompt);
}

TEST(Tokenize, RefusesWhatHasNeitherForm) {
  EXPECT_EQ(parse_tokenize_request("{}", kModel).error().param, "body.prompt");
  EXPECT_EQ(parse_tokenize_request(R"({"prompt":[]})", kModel).error().status, 400);
  EXPECT_EQ(parse_tokenize_request(R"({"prompt":"","model":"n"})", kModel).error().status, 404);
}

TEST(Tokenize, ReadsIds) {
  EXPECT_EQ(parse_detokenize_request(R"({"tokens":[3,"4",2147483647]})", kModel),
            (std::vector<int32_t>{3, 4, 2147483647}));
  EXPECT_EQ(parse_detokenize_request(R"({"tokens":[-1]})", kModel).error().param, "body.tokens");
  EXPECT_EQ(parse_detokenize_request(R"({"tokens":[2147483648]})", kModel).error().param, "tokens");
  EXPECT_EQ(parse_detokenize_request("{}", kModel).error().param, "body.tokens");
}

TEST(Tokenize, WritesBodies) {
  const std::vector<int32_t> ids = {3, 4};
  EXPECT_EQ(tokenize_body(ids, {}, 8), R"({"count":2,"max_model_len":8,"tokens":[3,4],"token_strs":null})");
  EXPECT_EQ(tokenize_body(ids, std::vector<std::string>{"a", "\""}, 8),
            R"({"count":2,"max_model_len":8,"tokens":[3,4],"token_strs":["a","\""]})");
  EXPECT_EQ(detokenize_body("a\n"), R"({"prompt":"a\n"})");
}

}  // namespace
}  // namespace ingot::api
