// The pool hands out each task once; a CPU node computes, aliases in place and refuses strided inputs.
#include "ingot/ops/cpu/cpu_op.h"

#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>

#include "ingot/ops/cpu/thread_pool.h"

namespace ingot::cpu {
namespace {

TEST(ThreadPool, RunsEachTaskOnce) {
  ThreadPool pool(4);
  for (int round = 0; round < 2000; ++round) {
    const int n = 1 + round % 37;
    std::vector<std::atomic<int>> runs(n);
    pool.parallel_for(n, [&](int i) { ++runs[i]; });
    for (const auto& count : runs) ASSERT_EQ(count.load(), 1);
  }
}

array add_one(const array& x, bool in_place) {
  return cpu_op("add_one", {x}, {{x.shape(), mx::float32, in_place ? 0 : -1}}, [](const auto& in, auto& out) {
    for (size_t i = 0; i < in[0].size(); ++i) out[0].template data<float>()[i] = in[0].template data<float>()[i] + 1;
  })[0];
}

TEST(CpuOp, ComputesAndAliases) {
  array x = mx::array({1.0f, 2.0f, 3.0f});
  x.eval();
  const float* before = x.data<float>();
  array y = add_one(add_one(x, true), true);
  EXPECT_EQ(to_host<float>(y)[2], 5.0f);
  EXPECT_EQ(y.data<float>(), before) << "the pool must be changed in place";
  array z = add_one(y, false);
  EXPECT_EQ(to_host<float>(z)[0], 4.0f);
  EXPECT_NE(z.data<float>(), before);
}

TEST(CpuOp, RefusesStridedInput) {
  array x = mx::transpose(mx::zeros({2, 3}));
  EXPECT_THROW(add_one(x, false).eval(), std::invalid_argument);
}

}  // namespace
}  // namespace ingot::cpu
