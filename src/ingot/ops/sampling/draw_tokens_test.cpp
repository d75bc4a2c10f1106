// Draws against the fallback, against an independent float64 implementation, and against the distribution they promise.
#include "ingot/ops/sampling/draw_tokens.h"

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include <gtest/gtest.h>
#include <mlx/random.h>

#include "ingot/ops/cpu/isa.h"
#include "ingot/ops/sampling/cut_logits.h"
#include "ingot/ops/sampling/sampling_kernels.h"

namespace ingot {
namespace {

struct Row {
  float temperature = 1.0f;
  int32_t top_k = 0;
  float top_p = 1.0f, min_p = 0.0f;
  uint64_t seed = 0;
  int32_t output_index = 0;
};

SampleParams params_of(const std::vector<Row>& rows) {
  std::vector<float> temperature, top_p, min_p;
  std::vector<int32_t> top_k, output_index;
  std::vector<uint32_t> seed;
  for (const Row& row : rows) {
    temperature.push_back(row.temperature), top_p.push_back(row.top_p), min_p.push_back(row.min_p);
    top_k.push_back(row.top_k), output_index.push_back(row.output_index);
    seed.push_back(uint32_t(row.seed)), seed.push_back(uint32_t(row.seed >> 32));
  }
  return {.temperature = from_host(temperature),
          .top_k = from_host(top_k),
          .top_p = from_host(top_p),
          .min_p = from_host(min_p),
          .seed = mx::reshape(from_host(seed), {int(rows.size()), 2}),
          .output_index = from_host(output_index)};
}

std::vector<int32_t> values(array tokens) {
  const auto span = to_host<int32_t>(tokens);
  return {span.begin(), span.end()};
}

array repeat_row(const std::vector<float>& logits, int rows) {
  return mx::contiguous(mx::broadcast_to(from_host(logits), {rows, int(logits.size())}));
}

std::vector<Row> random_rows(int n, std::mt19937& random) {
  const auto pick = [&](auto... choices) {
    const std::common_type_t<decltype(choices)...> all[] = {choices...};
    return all[random() % sizeof...(choices)];
  };
  std::vector<Row> rows(n);
  for (Row& row : rows) {
    row = {.temperature = pick(0.0f, 0.3f, 1.0f, 1.7f),
           .top_k = pick(0, 0, 1, 5, 40, 100000),
           .top_p = pick(1.0f, 1.0f, 0.3f, 0.9f, 0.999f),
           .min_p = pick(0.0f, 0.0f, 0.05f, 1.0f),
           .seed = uint64_t{random()} << 32 | random(),
           .output_index = int32_t(random() % 5000)};
  }
  return rows;
}

TEST(DrawTokens, EqualsFallback) {
  mx::random::seed(7);
  std::mt19937 random(1);
  for (const int vocab : {1, 2, 15, 16, 17, 63, 65, 1000, 5003}) {
    const SampleParams params = params_of(random_rows(60, random));
    const array logits = mx::random::normal({60, vocab}) * array(3.0f);
    EXPECT_EQ(values(draw_tokens(logits, params)), values(reference::draw_tokens(logits, params))) << vocab;
    const array fast = cut_logits(logits, params), slow = reference::cut_logits(logits, params);
    // The fallback's sums are of float32: it may put the end of a nucleus one token off.
    EXPECT_LE(mx::max(mx::sum(mx::not_equal(fast, slow), -1)).item<int32_t>(), 1) << vocab;
    EXPECT_LE(mx::sum(mx::not_equal(fast, slow)).item<int32_t>(), 3) << vocab;
  }
}

TEST(CutLogits, KeepsWhatIsOnlyTooSmallToWeigh) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> logits = {0, 400, 396, 398};
  const auto cut = [&](const Row& row) {
    array out = cut_logits(repeat_row(logits, 1), params_of({row}));
    const auto span = to_host<float>(out);
    return std::vector<float>(span.begin(), span.end());
  };
  EXPECT_EQ(cut({.temperature = 0.0f}), logits);
  EXPECT_EQ(cut({.temperature = 2.0f}), (std::vector<float>{0, 200, 198, 199}));
  EXPECT_EQ(cut({.temperature = 2.0f, .top_k = 2}), (std::vector<float>{-inf, 200, -inf, 199}));
  EXPECT_EQ(cut({.temperature = 2.0f, .top_p = 0.9f}), (std::vector<float>{-inf, 200, -inf, 199}));
  EXPECT_EQ(cut({.temperature = 2.0f, .min_p = 1e-30f}), (std::vector<float>{-inf, 200, 198, 199}));
}

TEST(DrawTokens, EqualsFallbackWithManyEqualLogits) {
  mx::random::seed(7);
  std::mt19937 random(2);
  const SampleParams params = params_of(random_rows(200, random));
  const array logits = mx::round(mx::random::normal({200, 300}) * array(2.0f));
  EXPECT_EQ(values(draw_tokens(logits, params)), values(reference::draw_tokens(logits, params)));
}

// Expected tokens: a float64 implementation of the contract, written apart from this one.
TEST(DrawTokens, EqualsIndependentImplementation) {
  std::vector<float> logits(1000);
  for (uint32_t i = 0; i < 1000; ++i) logits[i] = float((i * 2654435761u) >> 20) / 512.0f;
  const std::vector<Row> rows = {{1, 0, 1, 0, 0, 0},
                                 {1, 0, 1, 0, 1, 0},
                                 {1, 0, 1, 0, 0, 1},
                                 {0.5f, 0, 1, 0, 42, 7},
                                 {2, 0, 0.5f, 0, 42, 7},
                                 {1, 5, 1, 0, 9, 3},
                                 {1, 50, 0.75f, 0, 9, 3},
                                 {1, 0, 1, 0.25f, 9, 3},
                                 {1.5f, 20, 0.875f, 0.0625f, (uint64_t{1} << 63) + 5, 100},
                                 {2, 0, 0.96875f, 0, ~uint64_t{0}, 2147483646},
                                 {1, 1, 1, 0, 3, 3},
                                 {1, 0, 0.0009765625f, 0, 3, 3},
                                 {2, 999, 0.5f, 0, 77, 1}};
  const std::vector<int32_t> expected = {987, 262, 432, 495, 495, 521, 398, 262, 487, 768, 987, 987, 42};
  EXPECT_EQ(values(draw_tokens(repeat_row(logits, int(rows.size())), params_of(rows))), expected);
}

// χ² of draws of softmax(logits), over many seeds and over the outputs of one seed.
TEST(DrawTokens, FollowsTheDistribution) {
  const std::vector<double> p = {0.4, 0.3, 0.15, 0.1, 0.04, 0.01};
  std::vector<float> logits;
  for (double x : p) logits.push_back(float(std::log(x)));
  constexpr int kDraws = 100000;
  for (const bool vary_seed : {true, false}) {
    std::vector<Row> rows(kDraws);
    for (int i = 0; i < kDraws; ++i) {
      if (vary_seed) {
        rows[i].seed = uint64_t(i);
      } else {
        rows[i].seed = 5, rows[i].output_index = i;
      }
    }
    std::vector<double> counts(p.size());
    for (const int32_t token : values(draw_tokens(repeat_row(logits, kDraws), params_of(rows)))) ++counts.at(token);
    double chi_square = 0;
    for (size_t i = 0; i < p.size(); ++i) chi_square += std::pow(counts[i] - kDraws * p[i], 2) / (kDraws * p[i]);
    EXPECT_LT(chi_square, 20.5) << "5 degrees of freedom: 1 in 1000 is above";
  }
}

TEST(DrawTokens, TopPOfEqualTokensIsTheirShare) {
  std::vector<Row> rows(300);
  for (int i = 0; i < 300; ++i) rows[i] = {.top_p = 0.3f, .seed = uint64_t(i)};
  std::set<int32_t> drawn;
  for (const int32_t token : values(draw_tokens(mx::zeros({300, 10}), params_of(rows)))) drawn.insert(token);
  EXPECT_EQ(drawn, (std::set<int32_t>{0, 1, 2}));
}

TEST(DrawTokens, users_1_NeverLeavesItsSupport) {
  mx::random::seed(7);
  EXPECT_LT((float(0xffffffffu >> 9) + 0.5f) * 0x1p-23f, 1.0f) << "−ln u must never be 0";
  constexpr int kRows = 2000, kVocab = 3000;
  const array row = mx::random::normal({1, kVocab}) * array(2.0f);
  const array logits = mx::contiguous(mx::broadcast_to(row, {kRows, kVocab}));
  std::vector<Row> rows(kRows);
  for (int i = 0; i < kRows; ++i)
    rows[i] = {.temperature = 0.7f, .top_k = 20, .top_p = 0.8f, .min_p = 0, .seed = uint64_t(i), .output_index = 0};
  const std::vector<int32_t> best = values(mx::astype(mx::argsort(-row, -1), mx::int32));
  const std::set<int32_t> top20(best.begin(), best.begin() + 20);
  for (const int32_t token : values(draw_tokens(logits, params_of(rows)))) EXPECT_TRUE(top20.contains(token)) << token;
}

TEST(DrawTokens, DoesNotDependOnTheOtherRows) {
  mx::random::seed(7);
  std::mt19937 random(3);
  const std::vector<Row> rows = random_rows(40, random);
  const array logits = mx::random::normal({40, 777});
  const std::vector<int32_t> together = values(draw_tokens(logits, params_of(rows)));
  for (int r = 0; r < 40; ++r) {
    const array row = mx::contiguous(mx::slice(logits, {r, 0}, {r + 1, 777}));
    EXPECT_EQ(values(draw_tokens(row, params_of({rows[r]})))[0], together[r]);
  }
}

TEST(DrawTokens, SurvivesInfinitiesAndNaN) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::vector<float>> logits = {{-inf, -inf, 0.5f, -inf},
                                                  {-inf, -inf, -inf, -inf},
                                                  {nan, nan, nan, nan},
                                                  {nan, 1.0f, 2.0f, -inf},
                                                  {0, inf, 1, 2}};
  const std::vector<Row> rows = {{}, {0.0f}, {1, 2, 0.5f, 0.1f}, {1, 0, 0.5f}, {1, 3}};
  for (size_t i = 0; i < logits.size(); ++i) {
    for (const int32_t token : values(draw_tokens(repeat_row(logits[i], int(rows.size())), params_of(rows)))) {
      EXPECT_TRUE(token >= 0 && token < 4) << token;
      if (i == 0 || i == 4) {
        EXPECT_EQ(token, i == 0 ? 2 : 1);
      }
    }
  }
}

TEST(DrawTokens, InstructionSetsAgree) {
  mx::random::seed(7);
  array e = mx::random::uniform({1001});
  e.eval();
  std::vector<int32_t> ids(1008);
  for (int i = 0; i < 1008; ++i) ids[i] = 3 * i;
  for (uint32_t key = 0; key < 50; ++key) {
    std::set<int> winners, listed;
    for (const cpu::Isa isa : {cpu::Isa::kPortable, cpu::Isa::kNeon, cpu::Isa::kAvx2, cpu::Isa::kAvx512}) {
      if (!cpu::isa_available(isa)) continue;
      winners.insert(cpu::kernels<cpu::SamplingKernels>(isa).draw(e.data<float>(), nullptr, 1001, key, ~key));
      listed.insert(cpu::kernels<cpu::SamplingKernels>(isa).draw(e.data<float>(), ids.data(), 1001, key, ~key));
    }
    EXPECT_EQ(winners.size(), 1u);
    EXPECT_EQ(listed.size(), 1u);
  }
}

}  // namespace
}  // namespace ingot
