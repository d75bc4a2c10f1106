// Chunks, whole replies, and every shape of an error.
#include "ingot/cli/reply_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ingot::cli {
namespace {

using ::testing::HasSubstr;

TEST(ReplyReader, ChatChunks) {
  const auto piece = read_reply(R"({"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]})").value();
  EXPECT_EQ(piece.text, "Hi");
  EXPECT_EQ(piece.finish_reason, "");
  EXPECT_FALSE(piece.completion_tokens);
  EXPECT_EQ(read_reply(R"({"choices":[{"delta":{"reasoning":"hm"}}]})").value().text, "hm");
  EXPECT_EQ(read_reply(R"({"choices":[{"delta":{},"finish_reason":"stop"}]})").value().finish_reason, "stop");
}

TEST(ReplyReader, CompletionsAndUsage) {
  EXPECT_EQ(read_reply(R"({"choices":[{"text":"a"}]})").value().text, "a");
  const auto usage = read_reply(R"({"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3}})").value();
  EXPECT_EQ(usage.prompt_tokens, 9);
  EXPECT_EQ(usage.completion_tokens, 3);
}

TEST(ReplyReader, ErrorsInsideAStream) {
  const auto failed = read_reply(R"({"error":{"message":"the step failed","code":500}})");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "the step failed");
  EXPECT_THAT(read_reply("<html>").error().message, HasSubstr("<html>"));
  EXPECT_THAT(read_reply(R"({"x":1})").error().message, HasSubstr("no completion"));
}

TEST(ReplyReader, Refusals) {
  EXPECT_EQ(read_refusal(404, R"({"error":{"message":"The model `x` does not exist."}})").message,
            "The model `x` does not exist. (status 404)");
  EXPECT_THAT(read_refusal(401, R"({"error":"Unauthorized"})").message, HasSubstr("--api-key"));
  EXPECT_THAT(read_refusal(404, R"({"detail":"Not Found"})").message, HasSubstr("/v1"));
  EXPECT_THAT(read_refusal(502, "bad gateway").message, HasSubstr("bad gateway"));
  EXPECT_THAT(read_refusal(503, "").message, HasSubstr("no reason"));
}

}  // namespace
}  // namespace ingot::cli
