// Log probabilities against the fallback and against float64.
#include "ingot/ops/sampling/token_logprobs.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <mlx/random.h>

namespace ingot {
namespace {

// The fallback's float32 log-sum-exp is off by some units in the last place of the logits.
void expect_same(const TokenLogprobArrays& a, const TokenLogprobArrays& b) {
  EXPECT_TRUE(mx::allclose(a.logprob, b.logprob, 0.0, 5e-5).item<bool>());
  EXPECT_TRUE(mx::array_equal(a.rank, b.rank).item<bool>());
  EXPECT_TRUE(mx::array_equal(a.top_ids, b.top_ids).item<bool>());
  EXPECT_TRUE(mx::allclose(a.top_logprobs, b.top_logprobs, 0.0, 5e-5).item<bool>());
}

TEST(TokenLogprobs, EqualsFallback) {
  mx::random::seed(7);
  for (const int vocab : {1, 16, 63, 130, 5003}) {
    for (const int k : {0, 1, 5, 20, vocab}) {
      if (k > vocab) continue;
      const array logits = mx::random::normal({7, vocab}) * array(4.0f);
      const array tokens = mx::astype(mx::random::randint(0, vocab, {7}), mx::int32);
      for (const Score score : {Score::kLogprob, Score::kLogit})
        expect_same(token_logprobs(logits, tokens, k, score), reference::token_logprobs(logits, tokens, k, score));
    }
  }
}

TEST(TokenLogprobs, EqualLogitsComeByLowerId) {
  mx::random::seed(7);
  const array logits = mx::round(mx::random::normal({50, 500}));
  const array tokens = mx::astype(mx::argmax(logits, -1), mx::int32);
  expect_same(token_logprobs(logits, tokens, 30), reference::token_logprobs(logits, tokens, 30));
}

TEST(TokenLogprobs, KnownValues) {
  TokenLogprobArrays out = token_logprobs(array({0.0f, 1.0f, 2.0f, 2.0f}, {1, 4}), array({1}), 3);
  const double total = 1 + std::exp(1) + 2 * std::exp(2);
  EXPECT_FLOAT_EQ(out.logprob.item<float>(), float(1 - std::log(total)));
  EXPECT_EQ(out.rank.item<int32_t>(), 3);
  EXPECT_TRUE(mx::array_equal(out.top_ids, array({2, 3, 1}, {1, 3})).item<bool>());
}

TEST(TokenLogprobs, MaskedAndNaNRowsKeepTheirShape) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  TokenLogprobArrays out = token_logprobs(array({-inf, 1.0f, -inf, nan, nan, nan}, {2, 3}), array({1, 0}), 3);
  EXPECT_EQ(to_host<float>(out.logprob)[0], 0.0f);
  EXPECT_EQ(to_host<float>(out.top_logprobs)[1], -inf);
  for (const int32_t id : to_host<int32_t>(out.top_ids)) EXPECT_TRUE(id >= 0 && id < 3);
}

TEST(TokenLogprobs, LogitsComeAsTheyAre) {
  const array logits = mx::random::normal({3, 200});
  TokenLogprobArrays out = token_logprobs(logits, array({5, 6, 7}), 200, Score::kLogit);
  EXPECT_TRUE(mx::array_equal(out.top_logprobs, -mx::sort(-logits, -1)).item<bool>());
  EXPECT_TRUE(mx::array_equal(mx::slice(out.logprob, {1}, {2}), mx::reshape(mx::slice(logits, {1, 6}, {2, 7}), {1}))
                  .item<bool>());
}

TEST(LogprobsAt, EqualsFallback) {
  const array logits = mx::random::normal({5, 333});
  const array rows({0, 0, 3, 4, 1}), ids({0, 332, 17, 18, 19});
  for (const Score score : {Score::kLogprob, Score::kLogit}) {
    const array fast = logprobs_at(logits, rows, ids, score), slow = reference::logprobs_at(logits, rows, ids, score);
    EXPECT_TRUE(mx::allclose(fast, slow, 1e-5, 1e-5).item<bool>());
  }
}

}  // namespace
}  // namespace ingot
