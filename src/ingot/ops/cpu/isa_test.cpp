// Instruction sets are chosen by name or by quality, and their vectors agree bit for bit.
#include "ingot/ops/cpu/isa.h"

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "ingot/ops/cpu/simd_probe_kernels.h"

namespace ingot::cpu {
namespace {

constexpr Isa kAll[] = {Isa::kPortable, Isa::kNeon, Isa::kAvx2, Isa::kAvx512};

TEST(Isa, ChoosesByNameOrTheBest) {
  EXPECT_EQ(choose_isa("portable"), Isa::kPortable);
  Isa best = Isa::kPortable;
  for (Isa isa : kAll) {
    if (isa_available(isa)) {
      EXPECT_EQ(choose_isa(std::string(isa_name(isa)).c_str()), isa);
      best = isa;
    } else {
      EXPECT_THROW(choose_isa(std::string(isa_name(isa)).c_str()), std::runtime_error);
    }
  }
  EXPECT_EQ(choose_isa(nullptr), best);
  EXPECT_THROW(choose_isa("avx1024"), std::runtime_error);
  EXPECT_THROW(choose_isa(""), std::runtime_error);
}

std::vector<uint32_t> probe(Isa isa, const float (&v)[3][16]) {
  std::vector<uint32_t> out(kMaxProbeWords);
  out.resize(kernels<SimdProbe>(isa).run(v[0], v[1], v[2], out.data()));
  return out;
}

TEST(Simd, EveryInstructionSetGivesTheSameBits) {
  std::mt19937 rng(1);
  std::normal_distribution<float> normal(0.0f, 3.0f);
  for (int round = 0; round < 500; ++round) {
    float v[3][16];
    for (auto& vector : v)
      for (float& x : vector) x = round % 4 == 3 ? std::ldexp(normal(rng), int(rng() % 40) - 24) : normal(rng);
    if (round % 8 == 7) v[0][rng() % 16] = 0.0f, v[1][3] = -0.0f, v[1][5] = INFINITY, v[2][7] = -INFINITY;
    const auto expected = probe(Isa::kPortable, v);
    for (Isa isa : kAll) {
      if (!isa_available(isa)) continue;
      const auto got = probe(isa, v);
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i) {
        const bool nans = std::isnan(std::bit_cast<float>(got[i])) && std::isnan(std::bit_cast<float>(expected[i]));
        ASSERT_TRUE(got[i] == expected[i] || nans) << isa_name(isa) << " word " << i << " round " << round;
      }
    }
  }
}

TEST(Simd, ExpIsAccurate) {
  for (Isa isa : kAll) {
    if (!isa_available(isa)) continue;
    const auto exp_16 = kernels<SimdProbe>(isa).exp;
    double worst = 0;
    for (float x = -86.59f; x < 88.6f; x += 0.0117f) {
      float in[16], out[16];
      for (int i = 0; i < 16; ++i) in[i] = x + 0.0007f * i;
      exp_16(in, out);
      for (int i = 0; i < 16; ++i) worst = std::max(worst, std::abs(out[i] / std::exp(double(in[i])) - 1));
    }
    EXPECT_LT(worst, 0x1p-22);
    const float in[16] = {0, -0.0f, 1000, -1000, INFINITY, -INFINITY, NAN};
    float out[16];
    exp_16(in, out);
    EXPECT_EQ(out[0], 1.0f);
    EXPECT_EQ(out[1], 1.0f);
    EXPECT_EQ(out[2], INFINITY);
    EXPECT_EQ(out[3], 0.0f);
    EXPECT_EQ(out[4], INFINITY);
    EXPECT_EQ(out[5], 0.0f);
    EXPECT_TRUE(std::isnan(out[6]));
  }
}

}  // namespace
}  // namespace ingot::cpu
