// Which defaults and stops each mode of --generation-config gives.
#include "ingot/host/generation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingot/checkpoint/testing/safetensors_builder.h"
#include "ingot/host/load_progress.h"

namespace ingot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace json = boost::json;

class Generation : public ::testing::Test {
 protected:
  Generation() : folder_(std::filesystem::path(::testing::TempDir()) / "ingot_generation_test") {
    folder_.write("config.json", R"({"eos_token_id": 7, "text_config": {"eos_token_id": [8, 7]}, "temperature": 0.25,
        "vocab_size": 8, "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1})");
    folder_.write("own.json", "{}");
  }
  Result<GenerationDefaults> read(const ModelSource& source) {
    const auto checkpoint = open_checkpoint(folder_.path(), {.format = LoadFormat::kDummy});
    if (!checkpoint) return std::unexpected(checkpoint.error());
    return read_generation(source, **checkpoint);
  }
  void write_own() {
    folder_.write("generation_config.json",
                  R"({"eos_token_id": [9, -1, "x", 1e3], "temperature": 0.6, "top_p": null, "max_new_tokens": 50,
                      "do_sample": true})");
  }
  testing::TempFolder folder_;
};

TEST_F(Generation, AutoTakesTheModelsOwn) {
  write_own();
  const GenerationDefaults defaults = read({}).value();
  EXPECT_THAT(defaults.eos_token_ids, ElementsAre(7, 8, 9));
  EXPECT_EQ(defaults.sampling, json::parse(R"({"temperature": 0.6, "max_new_tokens": 50})"));
  EXPECT_FALSE(defaults.max_tokens_cap);
}

TEST_F(Generation, AutoWithoutAFileTakesTheConfigs) {
  const GenerationDefaults defaults = read({}).value();
  EXPECT_THAT(defaults.eos_token_ids, ElementsAre(7, 8));
  EXPECT_EQ(defaults.sampling, json::parse(R"({"temperature": 0.25})"));
}

TEST_F(Generation, VllmTakesStopsAlone) {
  write_own();
  ModelSource source;
  source.generation_config = "vllm";
  source.generation_overrides = {{"top_k", 5}, {"max_new_tokens", 20}};
  const GenerationDefaults defaults = read(source).value();
  EXPECT_THAT(defaults.eos_token_ids, ElementsAre(7, 8, 9));
  EXPECT_EQ(defaults.sampling, json::parse(R"({"top_k": 5, "max_new_tokens": 20})"));
  EXPECT_EQ(defaults.max_tokens_cap, 20);
}

TEST_F(Generation, AFolderStandsInForTheModelsFile) {
  write_own();
  folder_.write("other/generation_config.json", R"({"eos_token_id": 3, "top_p": 0.5, "max_new_tokens": 30})");
  ModelSource source;
  source.generation_config = (folder_.path() / "other").string();
  source.generation_overrides = {{"top_p", 0.75}};
  const GenerationDefaults defaults = read(source).value();
  EXPECT_THAT(defaults.eos_token_ids, ElementsAre(7, 8, 9, 3));
  EXPECT_EQ(defaults.sampling, json::parse(R"({"top_p": 0.75, "max_new_tokens": 30})"));
  EXPECT_EQ(defaults.max_tokens_cap, 30);
}

TEST_F(Generation, FaultsAreNamed) {
  ModelSource source;
  source.generation_config = "/nowhere";
  EXPECT_THAT(read(source).error().message, HasSubstr("--generation-config /nowhere"));
  source.generation_config = folder_.path().string();
  EXPECT_THAT(read(source).error().message, HasSubstr("generation_config.json"));
  folder_.write("generation_config.json", R"({"temperature": "hot"})");
  EXPECT_THAT(read({}).error().message, HasSubstr("temperature is \"hot\", must be a number"));
}

TEST(LoadProgress, TellsBytesAndSeconds) {
  EXPECT_EQ(progress_text(uint64_t{3} << 29, uint64_t{3} << 30, 1.5),
            "[###############---------------]  50 %  1.5 of 3.0 GiB, 1.00 GiB/s, 2 s left");
  EXPECT_THAT(progress_text(0, 10, 0), HasSubstr("  0 %"));
  EXPECT_THAT(progress_text(10, 10, 1), HasSubstr("100 %"));
}

}  // namespace
}  // namespace ingot
