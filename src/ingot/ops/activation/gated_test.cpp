// The gate against the fallback and against float64, and bits that do not depend on where an element stands.
#include "ingot/ops/activation/gated.h"

#include <cmath>

#include <gtest/gtest.h>
#include <mlx/random.h>

#include "ingot/ops/activation/gated_kernels.h"
#include "ingot/ops/cpu/isa.h"

namespace ingot {
namespace {

TEST(SiluMul, EqualsFallback) {
  mx::random::seed(7);
  for (const int width : {1, 15, 16, 33, 1536}) {
    for (const int rows : {1, 5, 40}) {
      const array x = mx::random::normal({rows, 2 * width}) * array(4.0f);
      EXPECT_TRUE(mx::allclose(silu_mul(x), reference::silu_mul(x), 1e-5, 1e-6).item<bool>()) << rows << " " << width;
    }
  }
}

TEST(SiluMul, IsNearTheTrueValueEverywhere) {
  std::vector<float> gate, up, y(16);
  for (float x = -86.0f; x < 100.0f; x += 0.0371f) gate.push_back(x);
  up.assign(gate.size(), 1.0f);
  y.resize(gate.size());
  for (const cpu::Isa isa : {cpu::Isa::kPortable, cpu::Isa::kNeon, cpu::Isa::kAvx2, cpu::Isa::kAvx512}) {
    if (!cpu::isa_available(isa)) continue;
    cpu::kernels<cpu::GatedKernels>(isa).silu_mul(gate.data(), up.data(), int(gate.size()), y.data());
    for (size_t i = 0; i < gate.size(); ++i) {
      const double exact = double(gate[i]) / (1.0 + std::exp(-double(gate[i])));
      ASSERT_NEAR(y[i], exact, 4e-7 * std::abs(exact)) << cpu::isa_name(isa) << " at " << gate[i];
    }
  }
}

TEST(SiluMul, ExtremesStayFinite) {
  const array y = silu_mul(array({-1e30f, -200.0f, 1e30f, 0.0f, 1.0f, 1.0f, 1.0f, 1.0f}, {1, 8}));
  EXPECT_TRUE(mx::array_equal(y, array({0.0f, 0.0f, 1e30f, 0.0f}, {1, 4})).item<bool>());
}

TEST(SiluMul, ElementsDoNotDependOnTheirPlace) {
  for (const int width : {1, 7, 16, 31}) {
    array y = silu_mul(mx::full({3, 2 * width}, 1.2345f));
    for (const float value : to_host<float>(y)) EXPECT_EQ(value, to_host<float>(y)[0]);
  }
}

}  // namespace
}  // namespace ingot
