// Pools cost nothing until they are written; blocks are copied in every layer.
#include "ingot/ops/attention/kv_pool.h"

#include <cstdio>

#include <gtest/gtest.h>
#include <mlx/random.h>

namespace ingot {
namespace {

size_t resident_bytes() {
  long size = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (std::fscanf(file, "%ld %ld", &size, &resident) != 2) resident = 0;
  std::fclose(file);
  return size_t(resident) * 4096;
}

TEST(KvPool, IsReservedNotTouched) {
  const KvGroup group{{KvKind::kFull, 3, 64, 0}, std::vector<int>(30, 0)};
  const size_t before = resident_bytes();
  if (before == 0) GTEST_SKIP() << "no /proc";
  const array pool = make_kv_pool(group, 2000, 16);
  EXPECT_EQ(pool.nbytes(), 2000 * kv_block_bytes(group, 16));
  EXPECT_GT(pool.nbytes(), size_t{500} << 20);
  EXPECT_LT(resident_bytes() - before, size_t{10} << 20);
}

TEST(KvPool, CopiesBlocksInOrderInEveryLayer) {
  array pool = mx::astype(mx::random::normal({3, 6, 64}), mx::bfloat16);
  pool.eval();
  array expected = mx::copy(pool);
  for (const auto& [from, to] : {std::pair{1, 4}, {4, 2}}) {
    const array block = mx::slice(expected, {0, from, 0}, {3, from + 1, 64});
    expected = mx::slice_update(expected, block, mx::Shape{0, to, 0}, mx::Shape{3, to + 1, 64});
  }
  expected.eval();
  const void* buffer = pool.data<mx::bfloat16_t>();
  array copied = copy_blocks(pool, array({1, 4}), array({4, 2}));
  EXPECT_TRUE(mx::array_equal(copied, expected).item<bool>());
  EXPECT_EQ(copied.data<mx::bfloat16_t>(), buffer);
}

}  // namespace
}  // namespace ingot
