// A chat in this process, on the mock engine that says the prompt again: commands, messages, replies, interruption.
#include <csignal>
#include <deque>

#include "tests/support/tiny_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingot/cli/chat_loop.h"
#include "ingot/cli/local_backend.h"
#include "ingot/engine/mock_engine.h"

namespace ingot::cli {
namespace {

using Next = Turn::Next;
using ::testing::HasSubstr;

LocalModel open_mock(MockOptions options = {}) {
  LocalModel model{std::make_shared<serve::Service>(), std::make_shared<MockEngine>(std::move(options))};
  model.service->open(ingot::testing::tiny_model(INGOT_SOURCE_DIR), model.engine, {});
  return model;
}

struct ChatTest : ::testing::Test {
  LocalBackend backend{open_mock()};
  Replies replies{backend, api::Endpoint::kChat, "tiny"};
  Conversation talk{"", Settings{}};

  Turn take(std::string_view line) { return take_line(line, talk, replies); }
};

TEST_F(ChatTest, CommandsActAndMessagesAreSent) {
  EXPECT_EQ(take("  ").next, Next::kGoOn);
  EXPECT_THAT(take("/help").notice, ::testing::AllOf(HasSubstr("/regenerate"), HasSubstr("Ctrl-C")));
  EXPECT_THAT(take("/regenrate").notice, HasSubstr("did you mean /regenerate?"));
  EXPECT_THAT(take("/set temperature 0.7").notice, HasSubstr("temperature"));
  EXPECT_TRUE(talk.settings().fields().contains("temperature"));
  EXPECT_THAT(take("/regenerate").notice, HasSubstr("no message"));
  take("/system Be brief.");
  EXPECT_EQ(take("Hi").next, Next::kReply);
  EXPECT_EQ(talk.request().at("messages").as_array().size(), 2u);
  EXPECT_EQ(take("/regenerate").next, Next::kReply);
  EXPECT_THAT(take("/clear").notice, HasSubstr("anew"));
  EXPECT_EQ(talk.num_messages(), 0u);
  take("/stats");
  EXPECT_TRUE(replies.shows_stats());
  EXPECT_THAT(take("/save").notice, HasSubstr("/save talk.json"));
  EXPECT_EQ(take("/exit").next, Next::kEnd);
  EXPECT_EQ(take("/quit").next, Next::kEnd);
}

TEST_F(ChatTest, SlashesThatAreNoCommands) {
  for (const char* message : {"// a comment", "/etc/hosts?", " /help", "/2", "/"}) {
    EXPECT_EQ(take(message).next, Next::kReply) << message;
  }
  EXPECT_EQ(talk.num_messages(), 5u);
}

TEST_F(ChatTest, RepliesStreamWithUsage) {
  std::string streamed;
  const auto reply = backend
                         .ask(api::Endpoint::kCompletions, {{"prompt", "Hello 日本"}, {"max_tokens", 99}},
                              [&](std::string_view text) { streamed += text; })
                         .value();
  EXPECT_EQ(reply.text, "Hello 日本");
  EXPECT_EQ(streamed, reply.text);
  EXPECT_EQ(reply.finish_reason, "stop");
  EXPECT_GT(reply.prompt_tokens.value(), 0);
  EXPECT_GT(reply.completion_tokens.value(), 0);
  EXPECT_LE(reply.first_s, reply.total_s);
}

TEST_F(ChatTest, RefusalsAreTheServersWords) {
  const auto reply = backend.ask(api::Endpoint::kChat, {{"messages", boost::json::array()}, {"temperature", 9}}, {});
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message, HasSubstr("(status 400)"));
  EXPECT_EQ(backend.default_model().value(), "tiny");
}

TEST(LocalBackend, CtrlCEndsTheReplyAndTheNextOneGoesWell) {
  LocalBackend backend(open_mock({.step_time = std::chrono::milliseconds(2)}));
  const boost::json::object endless = {{"prompt", "abc"}, {"max_tokens", 2000}, {"ignore_eos", true}};
  const auto reply = backend.ask(api::Endpoint::kCompletions, endless, [](std::string_view) { raise(SIGINT); }).value();
  EXPECT_TRUE(reply.interrupted);
  EXPECT_FALSE(reply.text.empty());
  const auto next =
      backend.ask(api::Endpoint::kCompletions, {{"prompt", "abc"}, {"max_tokens", 9}}, [](auto) {}).value();
  EXPECT_FALSE(next.interrupted);
  EXPECT_EQ(next.text, "abc");
}

class Lines final : public LineReader {
 public:
  explicit Lines(std::deque<std::string> lines) : lines_(std::move(lines)) {}
  std::optional<std::string> read(const std::string&) override {
    if (lines_.empty()) return std::nullopt;
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    return line;
  }

 private:
  std::deque<std::string> lines_;
};

TEST(ReadMessage, LinesThatBelongTogether) {
  Lines lines({"one", "two\\", "three", "\"\"\"", "a", "", "b", "\"\"\"", "\"\"\"x\"\"\"", "end\\"});
  EXPECT_EQ(read_message(lines), "one");
  EXPECT_EQ(read_message(lines), "two\nthree");
  EXPECT_EQ(read_message(lines), "a\n\nb");
  EXPECT_EQ(read_message(lines), "x");
  EXPECT_EQ(read_message(lines), "end\\");
  EXPECT_EQ(read_message(lines), std::nullopt);
}

TEST(Replies, FiguresAndSafeText) {
  const Reply reply{
      .text = "", .finish_reason = "", .prompt_tokens = 31, .completion_tokens = 11, .first_s = 0.5, .total_s = 2.5};
  EXPECT_EQ(stats_line(reply), "11 tokens in 2.50 s, the first after 0.50 s, then 5.0 tokens/s; prompt of 31 tokens");
  EXPECT_EQ(without_controls("a\033[2J\tb\n日\x7f"), "a[2J\tb\n日");
}

}  // namespace
}  // namespace ingot::cli
