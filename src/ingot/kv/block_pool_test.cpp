// The order in which blocks are handed out, and the sums.
#include "ingot/kv/block_pool.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ingot {
namespace {

BlockHash hash_of(uint64_t n) { return {{n, 0, 0, 0}}; }

std::vector<int> drain(BlockPool& pool) {
  std::vector<int> ids;
  while (pool.num_free() > 0) ids.push_back(static_cast<int>(pool.allocate()));
  return ids;
}

TEST(BlockPool, HandsOutEveryBlockButTheNullBlock) {
  BlockPool pool(5);
  EXPECT_EQ(pool.num_usable(), 4);
  EXPECT_EQ(drain(pool), (std::vector<int>{1, 2, 3, 4}));
}

TEST(BlockPool, ContentIsFreedToTheTailTheRestToTheHead) {
  BlockPool pool(6);
  for (int i = 0; i < 3; ++i) pool.allocate();
  pool.cache(BlockId{1}, hash_of(1));
  pool.cache(BlockId{2}, hash_of(2));
  for (const int id : {3, 2, 1}) pool.release(BlockId{id});
  EXPECT_EQ(drain(pool), (std::vector<int>{3, 4, 5, 2, 1}));  // the end of the sequence is evicted first
}

TEST(BlockPool, AHitLeavesTheQueueAndReturnsBehindAll) {
  BlockPool pool(4);
  for (int i = 1; i <= 3; ++i) pool.cache(pool.allocate(), hash_of(i));
  for (int i = 1; i <= 3; ++i) pool.release(BlockId{i});
  EXPECT_EQ(pool.num_free(), 3);
  pool.acquire(pool.find(hash_of(1)));
  pool.acquire(pool.find(hash_of(1)));
  EXPECT_EQ(pool.num_free(), 2);
  pool.release(BlockId{1});
  EXPECT_FALSE(pool.is_free(BlockId{1}));
  pool.release(BlockId{1});
  EXPECT_EQ(drain(pool), (std::vector<int>{2, 3, 1}));
}

TEST(BlockPool, AllocationEvicts) {
  BlockPool pool(2);
  pool.cache(pool.allocate(), hash_of(7));
  pool.release(BlockId{1});
  EXPECT_EQ(pool.find(hash_of(7)), BlockId{1});
  pool.allocate();
  EXPECT_EQ(pool.find(hash_of(7)), kNullBlock);
}

TEST(BlockPool, ResetNeedsAnIdlePool) {
  BlockPool pool(3);
  pool.cache(pool.allocate(), hash_of(7));
  EXPECT_FALSE(pool.reset_cache());
  EXPECT_EQ(pool.find(hash_of(7)), BlockId{1});
  pool.release(BlockId{1});
  EXPECT_TRUE(pool.reset_cache());
  EXPECT_EQ(pool.find(hash_of(7)), kNullBlock);
}

TEST(BlockPool, VerifySeesALostOrAnInventedReference) {
  BlockPool pool(3);
  pool.allocate();
  EXPECT_TRUE(pool.verify(std::vector<int32_t>{0, 1, 0}));
  EXPECT_FALSE(pool.verify(std::vector<int32_t>{0, 2, 0}));
  EXPECT_FALSE(pool.verify(std::vector<int32_t>{0, 0, 0}));
  EXPECT_FALSE(pool.verify(std::vector<int32_t>{0, 1, 1}));
}

TEST(BlockPool, RandomUse) {
  constexpr int kNumBlocks = 33;
  std::mt19937 random(2);
  BlockPool pool(kNumBlocks);
  std::vector<int32_t> uses(kNumBlocks, 0);
  std::vector<BlockId> held;
  for (int round = 0; round < 20000; ++round) {
    const uint64_t n = random() % 20;
    if (random() % 2 == 0 && !held.empty()) {
      std::swap(held[random() % held.size()], held.back());
      --uses[index(held.back())];
      pool.release(held.back());
      held.pop_back();
    } else if (const BlockId hit = pool.find(hash_of(n)); hit != kNullBlock) {
      pool.acquire(hit);
      ++uses[index(hit)];
      held.push_back(hit);
    } else if (pool.num_free() > 0) {
      const BlockId id = pool.allocate();
      ASSERT_EQ(uses[index(id)]++, 0);
      held.push_back(id);
      if (n % 3 > 0) pool.cache(id, hash_of(n));
    }
    const Status sound = pool.verify(uses);
    ASSERT_TRUE(sound) << sound.error().message;
  }
}

}  // namespace
}  // namespace ingot
