// Angles against float64 of the float32 product.
#include "ingot/ops/rope/rope.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

namespace ingot {
namespace {

TEST(Rope, DefaultFrequencies) {
  const std::vector<float> freq = default_inv_freq(100000.0f, 64);
  ASSERT_EQ(freq.size(), 32u);
  EXPECT_EQ(freq[0], 1.0f);
  EXPECT_FLOAT_EQ(freq[31], float(std::pow(100000.0, -62.0 / 64.0)));
}

TEST(Rope, TableIsAccurateAtAnyPosition) {
  const std::vector<float> freq = default_inv_freq(10000.0f, 96);
  const std::vector<int32_t> positions = {0, 1, 17, 4095, 131071, 1000003, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 9};
  array table = rope_table(from_host(positions), from_host(freq));
  ASSERT_EQ(table.shape(), (mx::Shape{19, 2, 48}));
  const auto values = to_host<float>(table);
  for (size_t t = 0; t < positions.size(); ++t) {
    for (size_t i = 0; i < freq.size(); ++i) {
      const double angle = float(positions[t]) * freq[i];
      ASSERT_NEAR(values[(2 * t) * 48 + i], std::cos(angle), 1e-7);
      ASSERT_NEAR(values[(2 * t + 1) * 48 + i], std::sin(angle), 1e-7);
    }
  }
}

TEST(Rope, EqualsFallback) {
  const array positions = from_host(std::vector<int32_t>{3, 0, 2047}), freq = from_host(default_inv_freq(1e6f, 64));
  const array fast = rope_table(positions, freq), slow = reference::rope_table(positions, freq);
  EXPECT_TRUE(mx::allclose(fast, slow, 0.0, 1e-6).item<bool>());
  const RopeScale scale{1.25f, 0.1f, 512};
  const array scaled = rope_table(positions, freq, scale);
  EXPECT_TRUE(mx::allclose(scaled, reference::rope_table(positions, freq, scale), 0.0, 2e-6).item<bool>());
  EXPECT_FALSE(mx::allclose(scaled, slow, 0.0, 0.1).item<bool>());
}

TEST(Rope, AScaleGrowsByThePeriod) {
  const array positions = from_host(std::vector<int32_t>{0, 511, 512, 1535, 1536}),
              still = from_host(std::vector{0.0f});
  array table = rope_table(positions, still, {2.0f, 0.1f, 512});
  const auto values = to_host<float>(table);
  for (size_t t = 0; t < 5; ++t) {
    const double period = std::array{0, 0, 1, 2, 3}[t];
    EXPECT_FLOAT_EQ(values[2 * t], 2 * (1 + 0.1 * std::log(1 + period)));
    EXPECT_EQ(values[2 * t + 1], 0.0f);
  }
}

}  // namespace
}  // namespace ingot
