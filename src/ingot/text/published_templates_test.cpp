// ChatTemplate against what transformers renders with published templates, to the byte and token for token.
#include <cstdlib>
#include <ctime>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/sha.h>

#include "ingot/text/chat_template.h"
#include "ingot/text/golden.h"

namespace ingot {
namespace {

constexpr std::time_t kNow = 1772719629;  // 2026-03-05 14:07:09 UTC, as in tools/reference/make_templates.py

// The test's clock is in UTC.
class PublishedTemplates : public testing::Test {
 protected:
  PublishedTemplates() {
    setenv("TZ", "UTC", 1);
    tzset();
  }
};

std::string digest(std::string_view text) {
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash);
  std::string digits;
  for (int i = 0; i < 8; ++i) digits += fmt::format("{:02x}", hash[i]);
  return digits;
}

// Another folder made by the tool can be named by INGOT_TEMPLATES.
std::string folder() {
  const char* const other = std::getenv("INGOT_TEMPLATES");
  return other ? other : "golden/templates/published";
}

// Of a text and of its ids, as in the tool.
std::string digests(const Tokenizer& tokenizer, const std::string& text) {
  const std::vector<int32_t> ids = tokenizer.encode(text, false).value();
  std::string digits;
  for (const int32_t id : ids) digits += fmt::format("{} ", id);
  return digest(text) + " " + digest(digits);
}

void expect_as_reference(const Tokenizer& tokenizer, const ChatTemplate& chat_template,
                         const boost::json::object& variables, std::string_view expected) {
  const auto result = chat_template.render(variables, kNow);
  if (expected == "fails") {
    EXPECT_FALSE(result) << *result;
  } else if (expected.starts_with("raises: ")) {
    ASSERT_FALSE(result) << *result;
    EXPECT_EQ("raises: " + result.error().message, expected);
  } else {
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(digests(tokenizer, *result), expected) << *result;
  }
}

TEST_F(PublishedTemplates, RenderAsTransformers) {
  const auto conversations = golden::cases("golden/templates/published/conversations.json");
  const auto expected = boost::json::parse(golden::read(folder() + "/expected.json")).as_object();
  const auto tokenizer = golden::tokenizer("byte_level");
  ASSERT_GE(expected.size(), 30u);
  ASSERT_GE(conversations.size(), 25u);
  for (const auto& [file, results] : expected) {
    SCOPED_TRACE(std::string(file));
    const auto compiled = ChatTemplate::compile(golden::read(folder() + "/" + std::string(file)));
    ASSERT_TRUE(compiled) << compiled.error().message;
    for (const auto& one : conversations) {
      SCOPED_TRACE(std::string(one.at("name").as_string()));
      expect_as_reference(*tokenizer, **compiled, one.at("variables").as_object(),
                          results.at(one.at("name").as_string()).as_string());
    }
  }
}

}  // namespace
}  // namespace ingot
