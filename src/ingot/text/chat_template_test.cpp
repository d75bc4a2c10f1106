// ChatTemplate against what transformers' Jinja2 renders, and its errors.
#include "ingot/text/chat_template.h"

#include <ctime>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "ingot/base/clock.h"
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

// What would loop, grow or nest without end is an error, soon and within the memory that fuel pays for.
TEST(ChatTemplate, StopsWhatDoesNotEnd) {
  const std::string grow =
      "{% set n = namespace(x=[1], y=[1]) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}"
      "{% set n.y = [n.y, n.y] %}{% endfor %}";
  const std::string nest = "{% set n = namespace(x=1) %}{% for i in range(50000) %}{% set n.x = [n.x] %}{% endfor %}";
  const auto times = [](int count, std::string_view part) {
    std::string text;
    for (int i = 0; i < count; ++i) text += part;
    return text;
  };
  const std::vector<std::string> endless = {
      "{% for i in range(10**9) %}{% endfor %}",
      "{% for a in range(10000) %}{% for b in range(10000) %}{% for c in range(10000) %}{% endfor %}{% endfor %}{% "
      "endfor %}",
      "{{ 'a' * 10**10 }}",
      "{{ [1] * 10**9 }}",
      "{{ 10 ** 10 ** 10 }}",
      "{{ 'a'.center(10**9) }}",
      "{{ '{:>1000000000}'.format(1) }}",
      "{{ '%1000000000d' | format(1) }}",
      "{{ [1] | batch(10**9, 'x') | list }}",
      "{{ [[1]] | tojson(indent='a' * 10**6) }}",
      "{% set n = namespace(x='a') %}{% for i in range(99) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
      "{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}",
      "{% macro f(x, n) %}{{ f([x, x], n - 1) if n else x ~ '' }}{% endmacro %}{{ f(1, 400) }}",
      "{% for y in [1] recursive %}{{ loop([[y, y]]) if loop.depth < 100 else y ~ '' }}{% endfor %}",
      "{% set a = namespace() %}{% set b = namespace() %}{% set a.x = b %}{% set b.x = a %}{{ a ~ '' }}",
      grow + "{{ n.x }}",
      grow + "{{ n.x | tojson }}",
      grow + "{{ n.x ~ '' }}",
      grow + "{{ n.x == n.y }}",
      grow + "{{ [n.x] | join }}",
      nest + "{{ n.x }}",
      nest + "{{ n.x ~ '' }}",
      nest + "{{ n.x == [n.x] }}",
      "{{ 1" + times(100'000, "~1") + " }}",
      "{{ " + times(100'000, "[") + times(100'000, "]") + " }}",
      times(30'000, "{% set x = [x] %}") + "{{ x }}"};
  for (const std::string& source : endless) {
    const auto start = now();
    const auto result = render(source);
    EXPECT_FALSE(result) << source.substr(0, 200);
    EXPECT_LT(seconds_between(start, now()), 10) << source.substr(0, 200);
  }
}

// What stops the endless must leave long chats alone, also those of templates that look back from each message.
TEST(ChatTemplate, RendersLongChats) {
  const auto variables = [](int count) {
    boost::json::array messages;
    for (int i = 0; i < count; ++i)
      messages.push_back({{"role", i % 2 ? "assistant" : "user"}, {"content", "message " + std::to_string(i)}});
    return boost::json::object{{"messages", messages}, {"add_generation_prompt", true}};
  };
  const auto plain = render(golden::read("golden/templates/smollm2.jinja"), variables(10'000));
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_TRUE(plain->ends_with("message 9999<|im_end|>\n<|im_start|>assistant\n"))
      << plain->substr(plain->size() - 100);
  const auto looking_back = render(
      "{% for m in messages %}{% set last = namespace(role=none, found=false) %}{% for j in range(loop.index0 - 1, -1, "
      "-1) %}"
      "{% if not last.found and messages[j].role == 'user' %}{% set last.found = true %}{% endif %}{% endfor %}"
      "{{ 'x' if last.found else '-' }}{% endfor %}",
      variables(1500));
  ASSERT_TRUE(looking_back) << looking_back.error().message;
  EXPECT_EQ(*looking_back, "-" + std::string(1499, 'x'));
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
