// Tokens and the raw logits' probabilities of them.
#include "ingot/sample/sample.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace ingot {
namespace {

SampleParams params_of(float temperature) {
  return {.temperature = mx::full({2}, temperature),
          .top_k = mx::full({2}, 1, mx::int32),
          .top_p = mx::ones({2}),
          .min_p = mx::zeros({2}),
          .seed = mx::zeros({2, 2}, mx::uint32),
          .output_index = mx::zeros({2}, mx::int32)};
}

TEST(Sample, LogprobsAreOfTheRawLogits) {
  const array logits = array({1.0f, 3.0f, 2.0f, 5.0f, 0.0f, 5.0f}, {2, 3});
  Sampled sampled = sample(logits, logits, params_of(2.0f), {.most = 2});
  EXPECT_TRUE(mx::array_equal(mx::slice(sampled.token, {0}, {1}), array({1})).item<bool>());
  ASSERT_TRUE(sampled.logprobs);
  const double total = std::exp(1.0) + std::exp(3.0) + std::exp(2.0);
  EXPECT_FLOAT_EQ(to_host<float>(sampled.logprobs->logprob)[0], float(3.0 - std::log(total)));
  EXPECT_TRUE(mx::array_equal(sampled.logprobs->rank, array({1, 2})).item<bool>());
  EXPECT_TRUE(mx::array_equal(sampled.logprobs->top_ids, array({1, 2, 0, 2}, {2, 2})).item<bool>());
}

TEST(Sample, DrawsFromTheAdjustedLogits) {
  const array logits = array({1.0f, 3.0f, 2.0f, 0.0f, 0.0f, 1.0f}, {2, 3});
  const array adjusted = array({9.0f, 3.0f, 2.0f, 0.0f, 5.0f, 1.0f}, {2, 3});
  Sampled sampled = sample(logits, adjusted, params_of(0.0f), {.most = 0});
  EXPECT_TRUE(mx::array_equal(sampled.token, array({0, 1})).item<bool>());
  EXPECT_TRUE(mx::array_equal(sampled.logprobs->rank, array({3, 3})).item<bool>()) << "of the raw logits";
}

TEST(Sample, TheModeChoosesWhatIsShown) {
  const float inf = std::numeric_limits<float>::infinity();
  const array logits = array({1.0f, 3.0f, 2.0f, 5.0f, 0.0f, 5.0f}, {2, 3}), adjusted = logits + array(1.0f);
  const auto shown = [&](LogprobsMode mode) {
    Sampled sampled = sample(logits, adjusted, params_of(2.0f),
                             {.mode = mode, .most = 3, .chosen_rows = {0, 1}, .chosen_ids = {2, 0}});
    const auto best = to_host<float>(sampled.logprobs->top_logprobs), chosen = to_host<float>(*sampled.chosen);
    return std::vector<float>{best[0], best[1], chosen[0], chosen[1]};
  };
  const float total = std::log(std::exp(1.0f) + std::exp(3.0f) + std::exp(2.0f));
  const float total2 = std::log(2 * std::exp(5.0f) + 1);
  const std::vector<float> raw = shown(LogprobsMode::kRawLogprobs),
                           want = {3 - total, 2 - total, 2 - total, 5 - total2};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(raw[i], want[i], 1e-6);
  EXPECT_EQ(shown(LogprobsMode::kRawLogits), (std::vector<float>{3, 2, 2, 5}));
  EXPECT_EQ(shown(LogprobsMode::kProcessedLogits), (std::vector<float>{2, -inf, -inf, 3})) << "top_k = 1";
  const std::vector<float> processed = shown(LogprobsMode::kProcessedLogprobs);
  EXPECT_EQ(processed[0], 0.0f);
  EXPECT_EQ(processed[2], -inf);
  EXPECT_NEAR(processed[3], std::log(0.5f), 1e-6) << "equals at the k-th value all stay";
}

TEST(Sample, LogprobsOnlyOnDemand) {
  const array logits = array({1.0f, 3.0f, 2.0f, 5.0f, 0.0f, 5.0f}, {2, 3});
  Sampled greedy = sample(logits, logits, params_of(0.0f), {});
  EXPECT_FALSE(greedy.logprobs);
  EXPECT_TRUE(mx::array_equal(greedy.token, array({1, 0})).item<bool>());
  EXPECT_EQ(sample(logits, logits, params_of(0.0f), {.most = 0}).logprobs->top_ids.shape(), (mx::Shape{2, 0}));
}

}  // namespace
}  // namespace ingot
