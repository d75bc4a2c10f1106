// The table against a plain oracle, with few hashes so that chains are long and contents repeat.
#include "ingot/kv/prefix_cache.h"

#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ingot {
namespace {

BlockHash hash_of(uint64_t n) { return {{n, 1, 2, 3}}; }

TEST(PrefixCache, TheFirstOfEqualBlocksIsFoundUntilItLeaves) {
  PrefixCache cache(8);
  EXPECT_EQ(cache.find(hash_of(5)), kNullBlock);
  for (const int id : {3, 1, 2}) cache.insert(BlockId{id}, hash_of(5));
  EXPECT_EQ(cache.find(hash_of(5)), BlockId{3});
  cache.erase(BlockId{3});
  EXPECT_NE(cache.find(hash_of(5)), kNullBlock);
  EXPECT_NE(cache.find(hash_of(5)), BlockId{3});
  cache.clear();
  EXPECT_EQ(cache.find(hash_of(5)), kNullBlock);
  EXPECT_EQ(cache.size(), 0);
  EXPECT_TRUE(cache.verify());
}

TEST(PrefixCache, RandomUse) {
  constexpr int kNumBlocks = 40;
  std::mt19937 random(1);
  PrefixCache cache(kNumBlocks);
  std::map<int, uint64_t> content;             // by block
  std::map<uint64_t, std::vector<int>> order;  // blocks of each content, oldest first
  for (int round = 0; round < 20000; ++round) {
    const int id = 1 + static_cast<int>(random() % (kNumBlocks - 1));
    if (content.contains(id)) {
      std::erase(order[content[id]], id);
      content.erase(id);
      cache.erase(BlockId{id});
    } else {
      // Words that share a bucket as often as not: 6 contents in 2 of 64 buckets.
      const uint64_t n = random() % 2 + 64 * (random() % 3);
      content[id] = n;
      order[n].push_back(id);
      cache.insert(BlockId{id}, hash_of(n));
    }
    ASSERT_EQ(cache.size(), static_cast<int32_t>(content.size()));
    for (const auto& [n, ids] : order) {
      const int found = static_cast<int>(cache.find(hash_of(n)));
      if (ids.empty()) {
        ASSERT_EQ(found, 0);
      } else {
        ASSERT_EQ(content.at(found), n);
      }
    }
    if (round % 100 == 0) {
      const Status sound = cache.verify();
      ASSERT_TRUE(sound) << sound.error().message;
    }
  }
}

}  // namespace
}  // namespace ingot
