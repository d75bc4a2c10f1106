// A folder of Hugging Face's as a Checkpoint: what is read of each file, and what a missing or wrong one says.
#include "ingot/checkpoint/safetensors/folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingot/checkpoint/testing/safetensors_builder.h"

namespace ingot {
namespace {

using ::testing::HasSubstr;
using testing::SafetensorsBuilder;
using testing::TempFolder;
namespace json = boost::json;

class Folder : public ::testing::Test {
 protected:
  Folder() : folder_(std::filesystem::path(::testing::TempDir()) / "ingot_folder_test") {
    folder_.write("config.json", testing::kTinyConfig);
    folder_.write("model.safetensors", testing::tiny_safetensors().build());
  }
  std::unique_ptr<Checkpoint> open(const CheckpointOptions& options = {}) {
    auto checkpoint = open_checkpoint(folder_.path(), options);
    if (!checkpoint) throw std::runtime_error(checkpoint.error().message);
    return std::move(*checkpoint);
  }
  Error error() {
    const auto checkpoint = open_checkpoint(folder_.path());
    return checkpoint ? Error{ErrorCode::kInternal, "the folder was taken", {}} : checkpoint.error();
  }
  void remove(const char* name) { std::filesystem::remove(folder_.path() / name); }

  TempFolder folder_;
};

TEST_F(Folder, HandsOutEveryFile) {
  folder_.write("generation_config.json", R"({"eos_token_id": [0, 2], "temperature": 0.6})");
  folder_.write("tokenizer_config.json", R"({"bos_token": "<s>", "chat_template": "T", "unk_token": null})");
  folder_.write("special_tokens_map.json", R"({"bos_token": "ignored", "unk_token": {"content": "<unk>"}})");
  folder_.write("tokenizer.json", R"({"model": {}})");
  const auto checkpoint = open();
  EXPECT_EQ(checkpoint->gguf_architecture(), "");
  EXPECT_EQ(checkpoint->tensors().size(), 2u);
  ASSERT_NE(checkpoint->find("model.norm.weight"), nullptr);
  EXPECT_EQ(checkpoint->find("absent"), nullptr);
  EXPECT_EQ(checkpoint->config().at("hidden_size"), 8);
  EXPECT_EQ(checkpoint->generation_config().at("temperature"), 0.6);
  EXPECT_EQ(checkpoint->tokenizer_config(), json::parse(R"({"bos_token": "<s>", "unk_token": {"content": "<unk>"}})"));
  EXPECT_EQ(checkpoint->chat_template(), "T");
  EXPECT_EQ(checkpoint->tokenizer_json().value(), R"({"model": {}})");
}

TEST_F(Folder, AllButConfigAndWeightsMayBeMissing) {
  const auto checkpoint = open();
  EXPECT_TRUE(checkpoint->generation_config().empty());
  EXPECT_TRUE(checkpoint->tokenizer_config().empty());
  EXPECT_TRUE(checkpoint->chat_templates().empty());
  const auto text = checkpoint->tokenizer_json();
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(text.error().message, HasSubstr("no tokenizer.json"));
}

TEST_F(Folder, MissingFilesAreNamedWithTheRemedy) {
  remove("model.safetensors");
  EXPECT_EQ(error().code, ErrorCode::kNotFound);
  EXPECT_THAT(error().message, HasSubstr("no model.safetensors and no model.safetensors.index.json"));
  folder_.write("pytorch_model.bin", "x");
  EXPECT_THAT(error().message, HasSubstr("there is 'pytorch_model.bin'"));
  remove("config.json");
  EXPECT_EQ(error().code, ErrorCode::kNotFound);
  EXPECT_THAT(error().message, HasSubstr("no config.json"));
}

TEST_F(Folder, TemplatesByName) {
  folder_.write("tokenizer_config.json", R"({"chat_template": [{"name": "default", "template": "A"},
                                                               {"name": "tool_use", "template": "B"}]})");
  EXPECT_EQ(find_template(open()->chat_templates(), "tool_use"), "B");
  EXPECT_EQ(open()->chat_template(), "A");
  folder_.write("chat_template.json", R"({"chat_template": "never"})");
  folder_.write("chat_template.jinja", "C");
  folder_.write("additional_chat_templates/rag.jinja", "D");
  const auto checkpoint = open();
  EXPECT_EQ(checkpoint->chat_templates().size(), 2u);
  EXPECT_EQ(checkpoint->chat_template(), "C");
  EXPECT_EQ(find_template(checkpoint->chat_templates(), "rag"), "D");
  EXPECT_EQ(find_template(checkpoint->chat_templates(), "tool_use"), "");
}

TEST_F(Folder, TemplateOfAProcessorIsTheLastResort) {
  folder_.write("chat_template.json", R"({"chat_template": "P"})");
  EXPECT_EQ(open()->chat_template(), "P");
  folder_.write("tokenizer_config.json", R"({"chat_template": 5})");
  EXPECT_THAT(error().message, HasSubstr("tokenizer_config.json: chat_template is neither"));
  folder_.write("tokenizer_config.json", R"({"chat_template": [{"name": "x"}]})");
  EXPECT_EQ(error().code, ErrorCode::kCorrupt);
}

TEST_F(Folder, ReadsShardsByTheIndex) {
  remove("model.safetensors");
  folder_.write("a.safetensors", SafetensorsBuilder().tensor("x", {2}, {1, 2}).build());
  folder_.write("b.safetensors", SafetensorsBuilder().tensor("y", {1}, {3}).tensor("z", {1}, {4}).build());
  const auto index = [&](std::string_view map) {
    folder_.write("model.safetensors.index.json", fmt::format(R"({{"metadata": {{}}, "weight_map": {}}})", map));
  };
  index(R"({"x": "a.safetensors", "y": "b.safetensors", "z": "b.safetensors"})");
  const auto checkpoint = open();
  ASSERT_EQ(checkpoint->tensors().size(), 3u);
  float z = 0;
  std::memcpy(&z, checkpoint->find("z")->data.data(), sizeof(z));
  EXPECT_EQ(z, 4.0f);

  index(R"({"x": "b.safetensors", "y": "b.safetensors"})");
  EXPECT_THAT(error().message, HasSubstr("says that 'x' lies in b.safetensors, and it is not there"));
  index(R"({"x": "a.safetensors", "w": "a.safetensors"})");
  EXPECT_THAT(error().message, HasSubstr("'w' lies in a.safetensors"));
  index(R"({"x": "a.safetensors", "y": "c.safetensors"})");
  EXPECT_EQ(error().code, ErrorCode::kNotFound);
  EXPECT_THAT(error().message, HasSubstr("c.safetensors"));
  folder_.write("b.safetensors", SafetensorsBuilder().tensor("x", {1}, {3}).tensor("y", {1}, {3}).build());
  index(R"({"x": "a.safetensors", "y": "b.safetensors"})");
  EXPECT_THAT(error().message, HasSubstr("tensor 'x' lies in a.safetensors and in b.safetensors"));
}

TEST_F(Folder, AnIndexNamesFilesBesideItAlone) {
  remove("model.safetensors");
  for (const char* file :
       {R"("../a.safetensors")", R"("/etc/passwd")", R"("")", R"("..")", "5", R"("a\\b")", R"("a\u0000b")"}) {
    folder_.write("model.safetensors.index.json", fmt::format(R"({{"weight_map": {{"x": {}}}}})", file));
    EXPECT_EQ(error().code, ErrorCode::kCorrupt) << file;
    EXPECT_THAT(error().message, HasSubstr("not the name of a file beside it")) << file;
  }
  for (const char* text : {"{}", R"({"weight_map": []})", R"({"weight_map": {}})", "[]", "{", ""}) {
    folder_.write("model.safetensors.index.json", text);
    EXPECT_EQ(error().code, ErrorCode::kCorrupt) << text;
    EXPECT_THAT(error().message, HasSubstr("model.safetensors.index.json")) << text;
  }
}

TEST_F(Folder, FaultsNameTheFile) {
  const auto whole = testing::tiny_safetensors().build();
  folder_.write("model.safetensors", std::span(whole).first(whole.size() - 1));
  EXPECT_EQ(error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(error().message, HasSubstr("model.safetensors: tensor 'model.norm.weight'"));
  for (const char* name :
       {"config.json", "generation_config.json", "tokenizer_config.json", "special_tokens_map.json"}) {
    folder_.write("model.safetensors", whole);
    folder_.write(name, std::string(100'000, '['));
    EXPECT_EQ(error().code, ErrorCode::kCorrupt) << name;
    EXPECT_THAT(error().message, HasSubstr(std::string(name) + ": is not JSON")) << name;
    folder_.write(name, name == std::string("config.json") ? testing::kTinyConfig : "{}");
  }
  EXPECT_EQ(error().message, "the folder was taken");
}

TEST_F(Folder, ChangesAreLaidOverTheConfigBeforeTextIsRaised) {
  folder_.write("config.json", R"({"architectures": ["A"], "model_type": "outer", "tie_word_embeddings": false,
      "eos_token_id": 1, "vision_config": {"depth": 2}, "hidden_size": 99,
      "text_config": {"architectures": null, "model_type": "inner", "hidden_size": 8, "tie_word_embeddings": true,
                      "eos_token_id": 2, "bos_token_id": 3, "rope_parameters": {"rope_theta": 5, "rope_type": "yarn"}}})");
  const json::object changes =
      json::parse(R"({"text_config": {"rope_parameters": {"rope_theta": 7}}, "extra": 1})").as_object();
  const auto checkpoint = open({.format = LoadFormat::kAuto, .config_changes = changes});
  const json::object& config = checkpoint->config();
  EXPECT_EQ(config.at("architectures"), json::parse(R"(["A"])"));
  EXPECT_EQ(config.at("model_type"), "inner");
  EXPECT_EQ(config.at("hidden_size"), 8);
  EXPECT_EQ(config.at("tie_word_embeddings"), false);
  EXPECT_EQ(config.at("eos_token_id"), 1);
  EXPECT_EQ(config.at("bos_token_id"), 3);
  EXPECT_EQ(config.at("extra"), 1);
  EXPECT_EQ(config.at("rope_parameters"), json::parse(R"({"rope_theta": 7, "rope_type": "yarn"})"));
  EXPECT_TRUE(config.contains("vision_config"));
}

}  // namespace
}  // namespace ingot
