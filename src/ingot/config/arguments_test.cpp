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

TEST_F(ConfigFile, GoesInFrontAsFlags) {
  const std::string path = write("max_num_seqs: 4\nenable-prefix-caching: false\nlog-stats: true\napi-key: [a, b]\n");
  const auto words = expand_config_file({"m.gguf", "--config", path, "--max-num-seqs", "8"});
  ASSERT_TRUE(words) << words.error().message;
  EXPECT_THAT(*words, ElementsAre("--max-num-seqs", "4", "--no-enable-prefix-caching", "--log-stats", "--api-key", "a",
                                  "b", "m.gguf", "--max-num-seqs", "8"));
  EXPECT_EQ(expand_config_file({"--config=" + path})->size(), 7u);
}

TEST_F(ConfigFile, FaultsNameTheFile) {
  EXPECT_EQ(expand_config_file({"--config"}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(expand_config_file({"--config", "/no/such.yaml"}).error().code, ErrorCode::kNotFound);
  for (const char* text : {"- a list\n", "a: [1\n", "just words\n", "a: {b: 1}\n"}) {
    const std::string path = write(text);
    const auto words = expand_config_file({"--config", path});
    ASSERT_FALSE(words) << text;
    EXPECT_EQ(words.error().code, ErrorCode::kCorrupt) << text;
    EXPECT_THAT(words.error().message, testing::HasSubstr(path));
  }
}

}  // namespace
}  // namespace ingot
