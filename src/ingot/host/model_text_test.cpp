// Where tokenizer and template come from.
#include "ingot/host/model_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingot/host/testing/tiny_folder.h"

namespace ingot {
namespace {

using ::testing::HasSubstr;

class ModelTextTest : public ::testing::Test {
 protected:
  ModelTextTest() : folder_(std::filesystem::path(::testing::TempDir()) / "ingot_model_text_test") {
    testing::write_tiny_model(folder_);
    folder_.write("chat_template.jinja", "own");
  }
  Result<ModelText> open(const ModelSource& source = {}) {
    const auto checkpoint = open_checkpoint(folder_.path());
    if (!checkpoint) return std::unexpected(checkpoint.error());
    return open_text(source, **checkpoint);
  }
  std::string rendered(const ModelSource& source) { return open(source).value().chat_template->render({}).value(); }

  testing::TempFolder folder_;
};

TEST_F(ModelTextTest, TemplateIsTheModelsAFileOrAText) {
  EXPECT_EQ(rendered({}), "own");
  ModelSource source;
  source.chat_template = "{{ 1 + 1 }}";
  EXPECT_EQ(rendered(source), "2");
  EXPECT_EQ(open(source)->chat_templates.at(0).text, "{{ 1 + 1 }}");
  folder_.write("other.jinja", "from a file");
  source.chat_template = (folder_.path() / "other.jinja").string();
  EXPECT_EQ(rendered(source), "from a file");
  source.chat_template = "/nowhere.jinja";
  EXPECT_THAT(open(source).error().message, HasSubstr("--chat-template /nowhere.jinja"));
  source.chat_template = "{% if %}";
  EXPECT_EQ(open(source).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(ModelTextTest, TokenizerMayBeAnothers) {
  std::filesystem::rename(folder_.path() / "tokenizer.json", folder_.path() / "elsewhere.json");
  EXPECT_THAT(open().error().message, HasSubstr("no tokenizer.json"));
  ModelSource source;
  source.tokenizer = (folder_.path() / "elsewhere.json").string();
  EXPECT_EQ(open(source).value().tokenizer->vocab_size(), 400);
  folder_.write("t/tokenizer_config.json", R"({"bos_token": "B", "chat_template": "theirs"})");
  std::filesystem::rename(folder_.path() / "elsewhere.json", folder_.path() / "t/tokenizer.json");
  source.tokenizer = (folder_.path() / "t").string();
  EXPECT_EQ(open(source).value().tokenizer_config.at("bos_token"), "B");
  EXPECT_EQ(rendered(source), "theirs");
  source.tokenizer = "/nowhere";
  EXPECT_THAT(open(source).error().message, HasSubstr("--tokenizer /nowhere"));
}

}  // namespace
}  // namespace ingot
