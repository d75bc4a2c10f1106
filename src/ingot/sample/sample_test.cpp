// Tokens and the raw logits' probabilities of them.
#include "ingot/sample/sample.h"

#include <cmath>

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
  Sampled sampled = sample(logits, logits, params_of(2.0f), 2);
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
  Sampled sampled = sample(logits, adjusted, params_of(0.0f), 0);
  EXPECT_TRUE(mx::array_equal(sampled.token, array({0, 1})).item<bool>());
  EXPECT_TRUE(mx::array_equal(sampled.logprobs->rank, array({3, 3})).item<bool>()) << "of the raw logits";
}

TEST(Sample, LogprobsOnlyOnDemand) {
  const array logits = array({1.0f, 3.0f, 2.0f, 5.0f, 0.0f, 5.0f}, {2, 3});
  Sampled greedy = sample(logits, logits, params_of(0.0f), -1);
  EXPECT_FALSE(greedy.logprobs);
  EXPECT_TRUE(mx::array_equal(greedy.token, array({1, 0})).item<bool>());
  EXPECT_EQ(sample(logits, logits, params_of(0.0f), 0).logprobs->top_ids.shape(), (mx::Shape{2, 0}));
}

}  // namespace
}  // namespace ingot
