// Linear is accurate, and a row's bits depend on nothing but the row.
#include "ingot/ops/linear/linear.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <gtest/gtest.h>

#include "ingot/ops/cpu/isa.h"
#include "ingot/ops/linear/linear_cpu.h"
#include "ingot/ops/linear/packed_fixture.h"

namespace ingot {
namespace {

using Rows = std::vector<float>;

Rows random_rows(int num_rows, int width, unsigned seed = 2) {
  Rows x(size_t(num_rows) * width);
  std::mt19937 rng(seed);
  std::normal_distribution<float> normal;
  for (float& v : x) v = normal(rng) * (rng() % 50 == 0 ? 30.0f : 1.0f);  // a few outliers, as activations have
  return x;
}

Rows run(const PackedWeight& weight, const Rows& x, int num_threads = 1, cpu::Isa isa = cpu::isa(),
         const float* bias = nullptr) {
  const int num_rows = static_cast<int>(x.size()) / weight.in_features;
  static std::unique_ptr<cpu::ThreadPool> pools[5];
  auto& pool = pools[num_threads];
  if (!pool) pool = std::make_unique<cpu::ThreadPool>(num_threads);
  // A guard behind the result: no kernel may write past it.
  Rows y(size_t(num_rows) * weight.out_features + 16, -7.0f);
  cpu::run_linear({weight.format, num_rows, weight.in_features, weight.out_features}, x.data(),
                  {weight.data.data<uint8_t>(), bias}, y.data(), *pool, isa);
  EXPECT_TRUE(std::all_of(y.end() - 16, y.end(), [](float v) { return v == -7.0f; }));
  y.resize(y.size() - 16);
  return y;
}

// What quantising the inputs may cost, by its definition, plus float32 rounding of the sum.
double tolerance(const PackedWeight& weight, const float* x, int out) {
  double bound = 0, magnitude = 0, peak = 0;
  for (int k = 0; k < weight.in_features; ++k) {
    if (k % kGroupSize == 0) {
      peak = 0;
      for (int i = 0; i < std::min(kGroupSize, weight.in_features - k); ++i)
        peak = std::max<double>(peak, std::abs(x[k + i]));
    }
    const double w = std::abs(weight_at(weight, out, k));
    magnitude += w * std::abs(x[k]);
    if (is_quantised(weight.format))
      bound += w * peak / (weight.format == WeightFormat::kI16 ? 2 * kMaxI16 : 65534) * 1.001;
  }
  return bound + magnitude * 2e-6;
}

TEST(Linear, IsWithinTheErrorOfQuantisedInputs) {
  for (WeightFormat format : kAllFormats) {
    double squared_error = 0, squared_value = 0;
    for (int in : {32, 64, 576, 1536}) {
      for (int out : {1, 16, 40}) {
        const PackedWeight weight = random_weight(format, out, in);
        const Rows x = random_rows(3, in), y = run(weight, x);
        for (int i = 0; i < 3 * out; ++i) {
          double exact = 0;
          const float* row = x.data() + i / out * in;
          for (int k = 0; k < in; ++k) exact += weight_at(weight, i % out, k) * row[k];
          ASSERT_NEAR(y[i], exact, tolerance(weight, row, i % out)) << format_name(format) << " " << in << "x" << out;
          squared_error += (y[i] - exact) * (y[i] - exact), squared_value += exact * exact;
        }
      }
    }
    const double relative = std::sqrt(squared_error / squared_value);
    EXPECT_LT(relative, format == WeightFormat::kI16 ? 2e-4 : 5e-5) << format_name(format);
    RecordProperty(format_name(format), std::to_string(relative * 1e6) + "e-6");
  }
}

TEST(Linear, AgreesWithItsFallback) {
  for (WeightFormat format : kAllFormats) {
    const PackedWeight weight = random_weight(format, 40, 576);
    array unpacked = mx::contiguous(unpack_weight(weight));
    const auto elements = to_host<float>(unpacked);
    for (int i = 0; i < 40 * 576; i += 7)
      ASSERT_EQ(elements[i], float(weight_at(weight, i / 576, i % 576))) << format_name(format);
    const array x(random_rows(5, 576).data(), {5, 576}, mx::float32);
    array fast = linear(x, weight), slow = linear_reference(x, weight);
    const auto a = to_host<float>(fast), b = to_host<float>(slow);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i)
      ASSERT_NEAR(a[i], b[i], tolerance(weight, x.data<float>() + i / 40 * 576, i % 40)) << format_name(format);
  }
}

TEST(Linear, GivesARowTheSameBitsInEveryBatchThreadCountAndInstructionSet) {
  for (WeightFormat format : kAllFormats) {
    const PackedWeight weight = random_weight(format, 200, 96);
    const Rows x = random_rows(70, 96);
    Rows alone;
    for (int row = 0; row < 70; ++row) {
      const Rows y = run(weight, Rows(x.begin() + row * 96, x.begin() + (row + 1) * 96));
      alone.insert(alone.end(), y.begin(), y.end());
    }
    for (cpu::Isa isa : {cpu::Isa::kPortable, cpu::Isa::kNeon, cpu::Isa::kAvx2, cpu::Isa::kAvx512}) {
      if (!cpu::isa_available(isa)) continue;
      for (int rows = 1; rows <= 70; ++rows) {
        const int first = 70 - rows;  // rows at other places of their tile than when they ran first
        const Rows y = run(weight, Rows(x.begin() + first * 96, x.end()), 1 + rows % 4, isa);
        ASSERT_EQ(y, Rows(alone.begin() + first * 200, alone.end()))
            << format_name(format) << " " << cpu::isa_name(isa) << " rows " << rows;
      }
    }
  }
}

TEST(Linear, AddsItsBiasToTheFinishedSum) {
  for (WeightFormat format : kAllFormats) {
    const PackedWeight weight = random_weight(format, 200, 96);  // the last panel is half full
    const Rows x = random_rows(70, 96), bias = random_rows(1, 200, 3);
    Rows expected = run(weight, x);
    for (size_t i = 0; i < expected.size(); ++i) expected[i] += bias[i % 200];
    for (cpu::Isa isa : {cpu::Isa::kPortable, cpu::Isa::kNeon, cpu::Isa::kAvx2, cpu::Isa::kAvx512}) {
      if (!cpu::isa_available(isa)) continue;
      for (int threads : {1, 3}) ASSERT_EQ(run(weight, x, threads, isa, bias.data()), expected) << format_name(format);
    }
    const array rows(x.data(), {70, 96}, mx::float32), offset = from_host(std::span<const float>(bias));
    array fast = linear(rows, weight, offset), slow = linear_reference(rows, weight, offset);
    const auto a = to_host<float>(fast), b = to_host<float>(slow);
    ASSERT_TRUE(std::ranges::equal(a, expected)) << format_name(format);
    for (size_t i = 0; i < a.size(); ++i)
      ASSERT_NEAR(a[i], b[i], tolerance(weight, x.data() + i / 200 * 96, i % 200) + 1e-5) << format_name(format);
  }
}

TEST(Linear, KeepsItsBitsOverManyRowsAndLongInputs) {
  for (WeightFormat format : {WeightFormat::kQ4_1, WeightFormat::kQ8_0, WeightFormat::kBf16, WeightFormat::kI16}) {
    const PackedWeight weight = random_weight(format, 72, 1536);
    const Rows x = random_rows(1100, 1536);
    const Rows all = run(weight, x, 3);
    for (int row : {0, 63, 64, 511, 512, 1023, 1099}) {
      const Rows y = run(weight, Rows(x.begin() + row * 1536, x.begin() + (row + 1) * 1536), 2);
      ASSERT_EQ(y, Rows(all.begin() + row * 72, all.begin() + (row + 1) * 72)) << format_name(format) << " row " << row;
    }
  }
}

TEST(Linear, KeepsNonFiniteRowsToThemselves) {
  for (WeightFormat format : kAllFormats) {
    const PackedWeight weight = random_weight(format, 40, 96);
    const Rows x = random_rows(11, 96), clean = run(weight, x);
    for (float bad : {NAN, INFINITY, -INFINITY}) {
      for (int at : {0, 50, 95}) {
        Rows spoilt = x;
        spoilt[5 * 96 + at] = bad;
        const Rows y = run(weight, spoilt);
        for (int i = 0; i < 11 * 40; ++i) {
          if (i / 40 != 5) {
            ASSERT_EQ(y[i], clean[i]) << format_name(format);
          } else if (is_quantised(format) || std::isnan(bad)) {
            ASSERT_TRUE(std::isnan(y[i])) << format_name(format);
          } else {
            ASSERT_FALSE(std::isfinite(y[i])) << format_name(format);  // a dense row keeps its infinity
          }
        }
      }
    }
  }
}

TEST(Linear, TakesTheWholeRangeOfInputs) {
  for (WeightFormat format : {WeightFormat::kQ4_0, WeightFormat::kQ4_1, WeightFormat::kQ8_0, WeightFormat::kI16}) {
    const PackedWeight weight = random_weight(format, 16, 32);
    const Rows x = random_rows(1, 32), y = run(weight, x);
    for (float power : {0x1p-90f, 0x1p-40f, 0x1p60f, 0x1p110f}) {
      Rows scaled = x;
      for (float& v : scaled) v *= power;
      Rows expected = y;
      for (float& v : expected) v *= power;
      EXPECT_EQ(run(weight, scaled), expected) << format_name(format) << " " << power;
    }
    for (float tiny : {0.0f, 1e-35f, std::numeric_limits<float>::denorm_min()})
      EXPECT_EQ(run(weight, Rows(32, tiny)), Rows(16, 0.0f)) << format_name(format);
    EXPECT_TRUE(std::isfinite(run(weight, Rows(32, 1e35f))[0]));
  }
}

TEST(Linear, TheLargestSumOfWideCodesFits) {
  PackedWeight weight{WeightFormat::kI16, 16, 32, array(0)};
  std::vector<uint8_t> bytes(weight.panel_bytes());
  const int16_t code = -kMaxI16;
  const mx::bfloat16_t one(1.0f);
  for (int i = 0; i < 1024; i += 2) std::memcpy(&bytes[i], &code, 2);
  for (int i = 1024; i < 1056; i += 2) std::memcpy(&bytes[i], &one, 2);
  weight.data = array(bytes.data(), {static_cast<int>(bytes.size())}, mx::uint8);
  for (int num_rows : {1, 3})
    for (const float y : run(weight, Rows(size_t(num_rows) * 32, -3.0f))) EXPECT_FLOAT_EQ(y, 32 * 3.0f * kMaxI16);
}

TEST(Linear, RefusesWhatDoesNotFit) {
  PackedWeight weight = random_weight(WeightFormat::kQ4_1, 40, 64);
  EXPECT_THROW(linear(mx::zeros({3, 32}), weight), std::invalid_argument);
  EXPECT_THROW(linear(mx::zeros({3, 64}, mx::float16), weight), std::invalid_argument);
  EXPECT_THROW(linear(mx::transpose(mx::zeros({64, 3})), weight).eval(), std::invalid_argument);
  EXPECT_EQ(linear(mx::zeros({0, 64}), weight).shape(0), 0);
  EXPECT_THROW(linear(mx::zeros({3, 64}), weight, mx::zeros({39})), std::invalid_argument);
  weight.out_features = 50;
  EXPECT_THROW(linear(mx::zeros({3, 64}), weight), std::invalid_argument);
}

}  // namespace
}  // namespace ingot
