// Stop strings over every way of cutting the text into pieces.
#include "ingot/serve/stop_matcher.h"

#include <gtest/gtest.h>

namespace ingot::serve {
namespace {

struct Outcome {
  std::string text;
  std::string match;  // "" = none
  bool operator==(const Outcome&) const = default;
};

// `cuts`: bit i set = a new piece begins after byte i.
Outcome run(const std::vector<std::string>& stops, std::string_view text, unsigned cuts, bool include = false) {
  StopMatcher matcher(stops, include);
  Outcome outcome;
  std::string piece;
  for (size_t i = 0; i < text.size(); ++i) {
    piece += text[i];
    if (!(cuts >> i & 1) && i + 1 < text.size()) continue;
    matcher.push(piece, outcome.text);
    piece.clear();
  }
  if (matcher.match()) outcome.match = *matcher.match();
  matcher.flush(outcome.text);
  return outcome;
}

void expect_for_all_cuts(const std::vector<std::string>& stops, std::string_view text, const Outcome& expected,
                         bool include = false) {
  for (unsigned cuts = 0; cuts < 1u << (text.size() - 1); ++cuts) {
    const Outcome got = run(stops, text, cuts, include);
    ASSERT_EQ(got.text, expected.text) << "cuts " << cuts;
    ASSERT_EQ(got.match, expected.match) << "cuts " << cuts;
  }
}

TEST(StopMatcher, FindsAMatchHoweverTheTextIsCut) {
  expect_for_all_cuts({"lo w"}, "hello world", {"hel", "lo w"});
  expect_for_all_cuts({"lo w"}, "hello world", {"hello w", "lo w"}, true);
}

TEST(StopMatcher, KeepsATextWithoutMatch) {
  expect_for_all_cuts({"lox", "world!"}, "hello world", {"hello world", ""});
  expect_for_all_cuts({}, "hello", {"hello", ""});
}

TEST(StopMatcher, RepeatedPrefixesDoNotHideTheMatch) {
  expect_for_all_cuts({"aab"}, "aaaab!", {"aa", "aab"});
  expect_for_all_cuts({"abac"}, "ababac", {"ab", "abac"});
}

TEST(StopMatcher, TheFirstEndWins) {
  expect_for_all_cuts({"bcdef", "cd"}, "abcdefg", {"ab", "cd"});
  expect_for_all_cuts({"cd", "bcdef"}, "abcdefg", {"ab", "cd"});
}

TEST(StopMatcher, OfTheSameEndTheFirstInTheListWins) {
  expect_for_all_cuts({"b", "ab"}, "xab", {"xa", "b"});
  expect_for_all_cuts({"ab", "b"}, "xab", {"x", "ab"});
}

TEST(StopMatcher, LetsTextThroughAsSoonAsNoStopCanBeginInIt) {
  StopMatcher matcher({"\n\nUser:"}, false);
  std::string out;
  matcher.push("plain text", out);
  EXPECT_EQ(out, "plain text");
  matcher.push("\n", out);
  EXPECT_EQ(out, "plain text");
  matcher.push("x", out);
  EXPECT_EQ(out, "plain text\nx");
}

TEST(StopMatcher, NothingComesAfterAMatch) {
  StopMatcher matcher({"#"}, false);
  std::string out;
  matcher.push("a#b", out);
  matcher.push("c", out);
  matcher.flush(out);
  EXPECT_EQ(out, "a");
}

TEST(StopMatcher, WhatEndsInPassedTextDoesNotCount) {
  StopMatcher stops({"END"}, false);
  std::string out;
  stops.pass("xEND", out);
  stops.pass("yEN", out);
  EXPECT_EQ(out, "xENDy");
  stops.push("D", out);
  ASSERT_NE(stops.match(), nullptr);
  EXPECT_EQ(out, "xENDy");
}

}  // namespace
}  // namespace ingot::serve
