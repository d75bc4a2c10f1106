// Adjustments against the fallback and against values worked out by hand.
#include "ingot/ops/sampling/adjust_logits.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <mlx/random.h>

namespace ingot {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<float> adjust_one(LogitAdjustment a, std::vector<float> logits, std::vector<int32_t> history) {
  auto adjustments = std::make_shared<LogitAdjustments>();
  adjustments->rows.push_back(std::move(a));
  const int length = static_cast<int>(history.size()), vocab = static_cast<int>(logits.size());
  array out = adjust_logits(array(logits.data(), {1, vocab}), adjustments, array(history.data(), {1, length}),
                            array({0}), array({length}));
  const auto values = to_host<float>(out);
  return {values.begin(), values.end()};
}

TEST(AdjustLogits, PenaltiesCountWhatTheyShould) {
  LogitAdjustment a{.repetition = 2.0f, .num_prompt_tokens = 2};
  a.frequency = 0.5f;
  a.presence = 0.25f;
  // id 0 only in the prompt, 1 in both, 2 twice in the output, 3 nowhere
  EXPECT_EQ(adjust_one(a, {4, 4, -4, 4}, {0, 1, 1, 2, 2}),
            (std::vector<float>{2, 2 - 0.5f - 0.25f, -8 - 1.0f - 0.25f, 4}));
}

TEST(AdjustLogits, users_12_presence_counts_the_output_only) {
  const LogitAdjustment a{.presence = 2.0f, .num_prompt_tokens = 2};
  EXPECT_EQ(adjust_one(a, {1, 1, 1}, {0, 1, 2}), (std::vector<float>{1, 1, -1}));
}

TEST(AdjustLogits, users_9_allowed_ids_and_bad_words) {
  const std::vector<int32_t> allowed{1, 3};
  EXPECT_EQ(adjust_one({.allowed = allowed}, {9, 1, 9, 2}, {0}), (std::vector<float>{-kInf, 1, -kInf, 2}));
  const std::vector<std::vector<int32_t>> words{{2}, {5, 0}, {4, 5, 1}, {5, 5, 3}};
  const LogitAdjustment a{.bad_words = words, .num_prompt_tokens = 1};
  EXPECT_EQ(adjust_one(a, {9, 9, 9, 9, 9, 9}, {5, 4, 5}), (std::vector<float>{-kInf, -kInf, -kInf, 9, 9, 9}))
      << "a word's beginning in the prompt does not count";
}

TEST(AdjustLogits, users_11_bias_bans_and_forces) {
  const std::vector<std::pair<int32_t, float>> bias{{0, -100.0f}, {2, 100.0f}};
  LogitAdjustment a{.bias = bias};
  const std::vector<int32_t> banned{1};
  a.banned = banned;
  EXPECT_EQ(adjust_one(a, {30, 20, 10}, {0}), (std::vector<float>{-70, -kInf, 110}));
}

TEST(AdjustLogits, ABanOfTheLastTokensLeftIsLifted) {
  const std::vector<int32_t> allowed{1, 3}, first{3, 3, 1}, one{1};
  EXPECT_EQ(adjust_one({.allowed = allowed, .banned = first}, {9, 1, 9, 2}, {0}),
            (std::vector<float>{-kInf, 1, -kInf, 2}));
  const std::vector<std::vector<int32_t>> words{{3}, {1}};
  EXPECT_EQ(adjust_one({.allowed = allowed, .bad_words = words, .banned = one}, {9, 1, 9, 2}, {0}),
            (std::vector<float>{-kInf, -kInf, -kInf, 2}))
      << "each ban is lifted for itself";
}

TEST(AdjustLogits, EqualsFallback) {
  std::mt19937 random(7);
  const int vocab = 97, length = 40, rows = 9;
  auto adjustments = std::make_shared<LogitAdjustments>();
  std::vector<std::vector<int32_t>> allowed(rows);
  std::vector<std::vector<std::vector<int32_t>>> words(rows);
  std::vector<std::vector<std::pair<int32_t, float>>> bias(rows);
  const std::vector<int32_t> banned{2, 9};
  std::vector<int32_t> history, slots, lengths;
  for (int i = 0; i < rows * length; ++i) history.push_back(random() % 12);
  for (int r = 0; r < rows; ++r) {
    slots.push_back(rows - 1 - r);
    lengths.push_back(1 + random() % length);
    if (r % 3 == 1) allowed[r] = {1, 5, 7, 96};
    if (r == 7) allowed[r] = {2, 9};  // all of them banned: lifted
    for (int w = 0; w < r; ++w) words[r].push_back(std::vector<int32_t>(1 + random() % 2, random() % 12));
    if (r % 2 == 0) bias[r] = {{3, 2.5f}, {50, -4.0f}};
    LogitAdjustment a{.repetition = 0.5f + 0.25f * r,
                      .frequency = 0.1f * r,
                      .presence = -0.3f * r,
                      .allowed = allowed[r],
                      .bad_words = words[r]};
    a.bias = bias[r];
    a.num_prompt_tokens = static_cast<int32_t>(random() % length);
    if (r > 4) a.banned = banned;
    adjustments->rows.push_back(std::move(a));
  }
  const array logits = mx::random::normal({rows, vocab}) * array(3.0f);
  const array tokens(history.data(), {rows, length});
  const array s = from_host(std::span<const int32_t>(slots)), n = from_host(std::span<const int32_t>(lengths));
  const array fast = adjust_logits(logits, adjustments, tokens, s, n);
  const array slow = reference::adjust_logits(logits, adjustments, tokens, s, n);
  EXPECT_TRUE(mx::array_equal(mx::isinf(fast), mx::isinf(slow)).item<bool>());
  const array zero(0.0f);
  EXPECT_TRUE(mx::allclose(mx::where(mx::isinf(fast), zero, fast), mx::where(mx::isinf(slow), zero, slow), 1e-5, 1e-5)
                  .item<bool>());
}

TEST(RecordTokens, WritesInPlace) {
  array history = mx::zeros({2, 4}, mx::int32);
  history.eval();
  array after = record_tokens(history, array({1, 0, 1}), array({0, 3, 1}), array({7, 8, 9}));
  EXPECT_TRUE(mx::array_equal(after, array({0, 0, 0, 8, 7, 9, 0, 0}, {2, 4})).item<bool>());
}

}  // namespace
}  // namespace ingot
