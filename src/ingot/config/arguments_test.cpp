// Names, counts, config files, near misses.
#include "ingot/config/arguments.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ingot {
namespace {

using testing::ElementsAre;
using Words = std::vector<std::string>;

// A YAML file that lives as long as the test.
class ConfigFile : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    std::ofstream(path_) << text;
    return path_;
  }
  void TearDown() override { std::filesystem::remove(path_); }

 private:
  std::string path_ = testing::TempDir() + "ingot_arguments_test.yaml";
};

TEST(NormaliseFlagNames, TouchesNamesOnly) {
  const Words words{"my_model.gguf", "--max_num_seqs=4", "--served_model_name", "a_b", "--api-key=x_y"};
  EXPECT_THAT(normalise_flag_names(words),
              ElementsAre("my_model.gguf", "--max-num-seqs=4", "--served-model-name", "a_b", "--api-key=x_y"));
}

TEST(ParseCount, TakesSuffixes) {
  EXPECT_EQ(parse_count("2048"), 2048);
  EXPECT_EQ(parse_count("0"), 0);
  EXPECT_EQ(parse_count("1k"), 1000);
  EXPECT_EQ(parse_count("1K"), 1024);
  EXPECT_EQ(parse_count("1.5k"), 1500);
  EXPECT_EQ(parse_count("2M"), 2 << 20);
  EXPECT_EQ(parse_count("4G"), int64_t{4} << 30);
}

TEST(ParseCount, RefusesTheRest) {
  for (const char* text : {"", "k", "-1", "1kk", "1 k", "0x10", "1.0001k", "1e99", "nan", "inf", "many"})
    EXPECT_FALSE(parse_count(text)) << text;
}

TEST(Nearest, FindsMisspellingsOnly) {
  const Words known{"--max-num-seqs", "--max-model-len", "--port"};
  EXPECT_EQ(nearest("--max-num-seq", known), "--max-num-seqs");
  EXPECT_EQ(nearest("--max-modle-len", known), "--max-model-len");
  EXPECT_EQ(nearest("--frobnicate", known), "");
}

TEST_F(ConfigFile, ComesAsFlags) {
  const std::string path = write(
      "max_num_seqs: 4\nenable-prefix-caching: false\nlog-stats:\napi-key: [a, b]\n"
      "hf-overrides: {a: {b: 1.5, c: no, d: '2'}, e: [x, null]}\n");
  Words words{"m.gguf", "--config", path, "--max-num-seqs", "8"};
  const auto flags = take_config_file(words);
  ASSERT_TRUE(flags) << flags.error().message;
  EXPECT_THAT(*flags, ElementsAre("--max-num-seqs=4", "--enable-prefix-caching=false", "--log-stats=true", "--api-key",
                                  "a", "b", R"(--hf-overrides={"a":{"b":1.5E0,"c":"no","d":"2"},"e":["x",null]})"));
  EXPECT_THAT(words, ElementsAre("m.gguf", "--max-num-seqs", "8"));
  Words joined{"--config=" + path};
  EXPECT_EQ(take_config_file(joined)->size(), 7u);
  EXPECT_TRUE(joined.empty());
}

TEST_F(ConfigFile, FaultsNameTheFile) {
  Words none{"--config"}, absent{"--config", "/no/such.yaml"};
  EXPECT_EQ(take_config_file(none).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(take_config_file(absent).error().code, ErrorCode::kNotFound);
  for (const char* text : {"- a list\n", "a: [1\n", "just words\n", "a: [{b: 1}]\n", "[1]: 2\n"}) {
    const std::string path = write(text);
    Words words{"--config", path};
    const auto flags = take_config_file(words);
    ASSERT_FALSE(flags) << text;
    EXPECT_EQ(flags.error().code, ErrorCode::kCorrupt) << text;
    EXPECT_THAT(flags.error().message, testing::HasSubstr(path));
  }
}

}  // namespace
}  // namespace ingot
