// Memory → pages, by each flag.
#include "ingot/runner/kv_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ingot {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;

int32_t blocks(const KvBudget& budget, int64_t available_bytes) {
  const std::vector<KvGroup> groups = group_layers(std::vector<KvSpec>(4, {KvKind::kFull, 2, 64}));
  return plan_kv_blocks(budget, groups, 16, 1024, kGiB, available_bytes).value();
}

TEST(KvBudget, users_92_utilisation_scales_the_pool) {
  // Of 9 GiB that are there and 1 GiB that the weights have taken: 3 GiB less the weights, 6 GiB less the weights.
  const double low = blocks({.memory_bytes = {}, .memory_utilization = 0.3, .num_blocks = {}}, 9 * kGiB);
  const double high = blocks({.memory_bytes = {}, .memory_utilization = 0.6, .num_blocks = {}}, 9 * kGiB);
  EXPECT_NEAR(high / low, 5.0 / 2.0, 0.001);
}

TEST(KvBudget, BytesGoBeforeTheShare) {
  const int32_t one = blocks({.memory_bytes = kGiB, .memory_utilization = {}, .num_blocks = {}}, 9 * kGiB);
  EXPECT_EQ(blocks({.memory_bytes = kGiB, .memory_utilization = 0.6, .num_blocks = {}}, 9 * kGiB), one);
  EXPECT_NEAR(blocks({.memory_bytes = 2 * kGiB, .memory_utilization = {}, .num_blocks = {}}, 9 * kGiB), 2 * one, 1);
  EXPECT_EQ(blocks({.memory_bytes = kGiB, .memory_utilization = {}, .num_blocks = 100}, 9 * kGiB), 100);
}

}  // namespace
}  // namespace ingot
