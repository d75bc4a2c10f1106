// Norm kernels of each instruction set against the fallback, and bits that do not depend on the batch.
#include "ingot/ops/norm/rms_norm.h"

#include <gtest/gtest.h>
#include <mlx/random.h>

#include "ingot/ops/cpu/isa.h"
#include "ingot/ops/norm/norm_kernels.h"
#include "ingot/ops/norm/rms_norm_reference.h"

namespace ingot {
namespace {

constexpr float kEps = 1e-5f;

float max_difference(const array& a, const array& b) { return mx::max(mx::abs(a - b)).item<float>(); }

TEST(RmsNorm, EqualsFallback) {
  mx::random::seed(7);
  for (const int width : {1, 15, 16, 17, 63, 64, 65, 576, 1000, 4096}) {
    for (const int rows : {1, 3, 70}) {
      const array x = mx::random::normal({rows, width}) * array(3.0f), residual = mx::random::normal({rows, width});
      const array weight = mx::random::uniform({width});
      EXPECT_LT(max_difference(rms_norm(x, weight, kEps), reference::rms_norm(x, weight, kEps)), 1e-5) << width;
      const Normed fast = add_rms_norm(x, residual, weight, kEps);
      const Normed slow = reference::add_rms_norm(x, residual, weight, kEps);
      EXPECT_LT(max_difference(fast.normed, slow.normed), 1e-5) << width;
      EXPECT_EQ(max_difference(fast.residual, slow.residual), 0.0f) << width;
    }
  }
}

TEST(RmsNorm, RowsDoNotDependOnEachOther) {
  mx::random::seed(7);
  const array x = mx::random::normal({200, 577}), weight = mx::random::uniform({577});
  const array all = rms_norm(x, weight, kEps);
  for (const int t : {0, 1, 57, 199}) {
    const array alone = rms_norm(mx::contiguous(mx::slice(x, {t, 0}, {t + 1, 577})), weight, kEps);
    EXPECT_TRUE(mx::array_equal(alone, mx::slice(all, {t, 0}, {t + 1, 577})).item<bool>());
  }
}

TEST(RmsNorm, InstructionSetsAgreeBitForBit) {
  mx::random::seed(7);
  array x = mx::random::normal({1, 1003}), residual = mx::random::normal({1, 1003}), w = mx::random::uniform({1003});
  mx::eval(x, residual, w);
  const cpu::NormScale scale{w.data<float>(), 1003, kEps};
  std::vector<float> sum(1003), y(1003), portable;
  for (const cpu::Isa isa : {cpu::Isa::kPortable, cpu::Isa::kNeon, cpu::Isa::kAvx2, cpu::Isa::kAvx512}) {
    if (!cpu::isa_available(isa)) continue;
    cpu::kernels<cpu::NormKernels>(isa).add_rms_norm(x.data<float>(), residual.data<float>(), scale, sum.data(),
                                                     y.data());
    if (portable.empty()) portable = y;
    EXPECT_EQ(y, portable) << cpu::isa_name(isa);
  }
}

TEST(RmsNorm, RefusesOtherShapesAndTypes) {
  EXPECT_THROW(rms_norm(mx::zeros({2, 8}), mx::zeros({9}), kEps), std::invalid_argument);
  EXPECT_THROW(rms_norm(mx::zeros({2, 8}, mx::bfloat16), mx::zeros({8}), kEps), std::invalid_argument);
}

}  // namespace
}  // namespace ingot
