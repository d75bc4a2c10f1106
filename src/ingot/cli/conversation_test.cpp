// Messages, settings, files.
#include "ingot/cli/conversation.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ingot::cli {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

std::string text_of(const json::object& request) { return json::serialize(request); }

std::string temporary(const char* name) { return std::filesystem::path(::testing::TempDir()) / name; }

TEST(Conversation, RequestHoldsSettingsAndMessages) {
  Conversation talk("Be brief.", Settings({{"temperature", 0.5}}));
  talk.add_user("Hi");
  talk.add_assistant("Hello");
  talk.add_user("Bye");
  EXPECT_EQ(text_of(talk.request()),
            R"({"temperature":5E-1,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"},)"
            R"({"role":"assistant","content":"Hello"},{"role":"user","content":"Bye"}]})");
  talk.take_back_user();
  EXPECT_EQ(talk.num_messages(), 2u);
  EXPECT_TRUE(talk.take_back_reply());
  EXPECT_EQ(talk.num_messages(), 1u);
  EXPECT_TRUE(talk.take_back_reply()) << "the message still waits for its reply";
  talk.clear();
  EXPECT_FALSE(talk.take_back_reply());
  EXPECT_EQ(text_of(talk.request()), R"({"temperature":5E-1,"messages":[{"role":"system","content":"Be brief."}]})");
}

TEST(Settings, SetForgetAndList) {
  Settings settings;
  EXPECT_EQ(settings.set("temperature 0.7").value(), "temperature = 7E-1");
  EXPECT_EQ(settings.set("top-k=40").value(), "top_k = 40");
  EXPECT_EQ(settings.set("stop [\"a\", \"b\"]").value(), R"(stop = ["a","b"])");
  EXPECT_EQ(settings.set("stop END OF IT").value(), R"(stop = "END OF IT")");
  EXPECT_EQ(settings.set("ignore_eos true").value(), "ignore_eos = true");
  EXPECT_THAT(settings.set("").value(), HasSubstr("top_k 40\n"));
  settings.set("temperature none").value();
  EXPECT_FALSE(settings.fields().contains("temperature"));
}

TEST(Settings, WhatIsWrongIsSaid) {
  Settings settings;
  EXPECT_THAT(settings.set("temprature 1").error().message, HasSubstr("did you mean temperature?"));
  EXPECT_THAT(settings.set("temperature warm").error().message, HasSubstr("takes a number, not warm"));
  EXPECT_THAT(settings.set("ignore_eos 3").error().message, HasSubstr("true or false"));
  EXPECT_THAT(settings.set("temperature").error().message, HasSubstr("/set temperature 0.7"));
  EXPECT_TRUE(settings.fields().empty());
}

TEST(Conversation, SavedAndLoadedIsTheSame) {
  const std::string path = temporary("talk.json");
  Conversation talk("Be brief.", Settings({{"seed", 7}}));
  talk.add_user("日本 \"quoted\"\n");
  talk.add_assistant("Yes");
  ASSERT_TRUE(talk.save(path));
  Conversation other("", Settings{});
  other.add_user("forgotten");
  ASSERT_TRUE(other.load(path));
  EXPECT_EQ(text_of(other.request()), text_of(talk.request()));
  EXPECT_EQ(other.num_messages(), 2u);
}

TEST(Conversation, BareListsLoadAndBadFilesChangeNothing) {
  const std::string path = temporary("list.json");
  std::ofstream(path) << R"([{"role":"user","content":"Hi"}])";
  Conversation talk("", Settings({{"seed", 7}}));
  ASSERT_TRUE(talk.load(path));
  const std::string before = text_of(talk.request());
  EXPECT_EQ(before, R"({"seed":7,"messages":[{"role":"user","content":"Hi"}]})");
  for (const char* bad : {"{", "{}", "[1]", R"([{"role":"user"}])", R"({"messages":[{"role":1,"content":""}]})"}) {
    std::ofstream(path) << bad;
    const Status loaded = talk.load(path);
    ASSERT_FALSE(loaded) << bad;
    EXPECT_THAT(loaded.error().message, HasSubstr(path));
    EXPECT_EQ(text_of(talk.request()), before);
  }
  EXPECT_THAT(talk.load("/nowhere/x.json").error().message, HasSubstr("/nowhere/x.json"));
  EXPECT_THAT(talk.save("/nowhere/x.json").error().message, HasSubstr("/nowhere/x.json"));
}

}  // namespace
}  // namespace ingot::cli
