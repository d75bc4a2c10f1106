// The length rule at its borders.
#include "ingot/api/length.h"

#include <gtest/gtest.h>

#include "ingot/api/test_model.h"

namespace ingot::api {
namespace {

Parsed<int32_t> resolve(int64_t num_prompt_tokens, std::optional<int64_t> max_tokens,
                        const ModelDefaults& model = test_model()) {
  SamplingFields sampling;
  sampling.max_tokens = max_tokens;
  return resolve_max_tokens(num_prompt_tokens, sampling, model);
}

TEST(Length, FillsTheContextWhereNothingIsAsked) {
  EXPECT_EQ(resolve(12, {}), 500);
  EXPECT_EQ(resolve(511, {}), 1);
}

TEST(Length, DefaultsAndCapOfTheModel) {
  ModelDefaults model = test_model();
  model.max_new_tokens = 100;
  EXPECT_EQ(resolve(12, {}, model), 100);
  EXPECT_EQ(resolve(500, {}, model), 12);
  EXPECT_EQ(resolve(12, 200, model), 200);
  model.max_tokens_cap = 50;
  EXPECT_EQ(resolve(12, {}, model), 50);
  EXPECT_EQ(resolve(12, 200, model), 50);
  EXPECT_EQ(resolve(12, 20, model), 20);
}

TEST(Length, WhatIsAskedMustFit) {
  EXPECT_EQ(resolve(412, 100), 100);
  EXPECT_EQ(resolve(413, 100).error().param, "input_tokens");
}

TEST(Length, users_28_prompt_too_long_names_both_lengths) {
  const auto error = resolve(1536, 16).error();
  EXPECT_EQ(error.status, 400);
  EXPECT_EQ(error.type, "BadRequestError");
  EXPECT_EQ(
      error.message,
      "This model's maximum context length is 512 tokens. However, you requested 16 output tokens and your prompt "
      "contains 1536 input tokens, for a total of 1552 tokens. Please reduce the length of the input prompt or the "
      "number of requested output tokens. (parameter=input_tokens, value=1536)");
  EXPECT_EQ(resolve(512, {}).error().param, "input_tokens");
}

TEST(Length, users_27_huge_max_tokens) {
  const auto error = resolve(1, 10000000).error();
  EXPECT_EQ(error.status, 400);
  EXPECT_EQ(error.param, "max_tokens");
  EXPECT_EQ(error.message,
            "max_tokens=10000000 cannot be greater than max_model_len=512. Please request fewer output tokens. "
            "(parameter=max_tokens, value=10000000)");
}

TEST(Length, MinTokensMustFitBelowTheResult) {
  SamplingFields sampling;
  sampling.params.min_tokens = 101;
  EXPECT_EQ(resolve_max_tokens(411, sampling, test_model()).value(), 101);
  const auto error = resolve_max_tokens(412, sampling, test_model()).error();
  EXPECT_EQ(error.param, "min_tokens");
  EXPECT_EQ(error.message,
            "min_tokens must be less than or equal to max_tokens=100, got 101. (parameter=min_tokens, value=101)");
}

TEST(Length, EmptyPrompt) { EXPECT_EQ(resolve(0, 5).error().status, 400); }

}  // namespace
}  // namespace ingot::api
