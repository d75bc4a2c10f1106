// ChatTemplate against what transformers' Jinja2 renders, and its errors.
#include "ingot/text/chat_template.h"

#include <ctime>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "ingot/text/golden.h"

namespace ingot {
namespace {

Result<std::string> render(std::string_view source, const boost::json::object& variables = {}) {
  const auto compiled = ChatTemplate::compile(source);
  if (!compiled) return std::unexpected(compiled.error());
  return (*compiled)->render(variables);
}

void expect_as_reference(const boost::json::object& one) {
  const auto* file = one.if_contains("file");
  const std::string source = file ? golden::read("golden/templates/" + std::string(file->as_string()))
                                  : std::string(one.at("template").as_string());
  const auto* variables = one.if_contains("variables");
  const auto result = render(source, variables ? variables->as_object() : boost::json::object{});
  if (const auto* expected = one.if_contains("expected")) {
    ASSERT_TRUE(result) << source << "\n" << result.error().message;
    EXPECT_EQ(*result, expected->as_string()) << source;
  } else {
    ASSERT_FALSE(result) << source << "\n" << *result;
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
    if (const auto* raised = one.if_contains("raises")) {
      EXPECT_EQ(result.error().message, raised->as_string());
    }
  }
}

TEST(ChatTemplate, RendersAsTransformers) {
  const auto cases = golden::cases("golden/templates/constructs.json");
  ASSERT_GT(cases.size(), 100u);
  for (const auto& one : cases) expect_as_reference(one.as_object());
}

TEST(ChatTemplate, NamesLineAndReason) {
  const auto syntax = ChatTemplate::compile("a\nb\n{% if %}");
  ASSERT_FALSE(syntax);
  EXPECT_EQ(syntax.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(syntax.error().message.find("line 3: syntax error"), std::string::npos) << syntax.error().message;

  const auto undefined = render("a\n{{ missing.attribute }}");
  ASSERT_FALSE(undefined);
  EXPECT_NE(undefined.error().message.find("line 2: undefined value"), std::string::npos) << undefined.error().message;

  EXPECT_FALSE(ChatTemplate::compile("\xff{{ x }}"));
}

TEST(ChatTemplate, FormatsLocalTime) {
  char before[64], after[64];
  const auto now = [](char(&text)[64]) {
    const std::time_t time = std::time(nullptr);
    std::strftime(text, sizeof text, "%d %b %Y %H:%M:%S %j", std::localtime(&time));
  };
  now(before);
  const auto rendered = render("{{ strftime_now('%d %b %Y %H:%M:%S %j') }}|{{ strftime_now('') }}");
  now(after);
  ASSERT_TRUE(rendered) << rendered.error().message;
  EXPECT_TRUE(*rendered == before + std::string("|") || *rendered == after + std::string("|")) << *rendered;
}

TEST(ChatTemplate, StopsATemplateThatLoops) {
  const auto endless = render(
      "{% for a in range(10000) %}{% for b in range(10000) %}{% for c in range(10000) %}"
      "{% endfor %}{% endfor %}{% endfor %}");
  ASSERT_FALSE(endless);
  EXPECT_NE(endless.error().message.find("fuel"), std::string::npos) << endless.error().message;
  EXPECT_FALSE(render("{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}"));
}

TEST(ChatTemplate, RendersFromManyThreads) {
  const auto compiled =
      ChatTemplate::compile("{% for m in messages %}{{ m.role }}:{{ m | tojson }};{% endfor %}").value();
  boost::json::array messages;
  for (int i = 0; i < 50; ++i) messages.push_back({{"role", "user"}, {"content", std::to_string(i)}});
  const boost::json::object variables{{"messages", messages}};
  const std::string expected = compiled->render(variables).value();
  std::vector<std::string> results(4);
  {
    std::vector<std::jthread> threads;
    for (auto& result : results) threads.emplace_back([&] { result = compiled->render(variables).value(); });
  }
  for (const auto& result : results) EXPECT_EQ(result, expected);
}

}  // namespace
}  // namespace ingot
