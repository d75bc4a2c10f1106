// Groups that must agree, windows that pass, blocks that come back.
#include "ingot/kv/kv_cache.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include <gtest/gtest.h>

namespace ingot {
namespace {

constexpr int kBlock = 4;
const KvGroup kFull{{.kind = KvKind::kFull, .num_kv_heads = 1, .head_dim = 8, .window = 0}, {0}};

KvGroup window_of(int tokens) {
  return {{.kind = KvKind::kWindow, .num_kv_heads = 1, .head_dim = 8, .window = tokens}, {1}};
}

CacheConfig config_of(int num_blocks, bool caching = true) {
  return {.block_size = kBlock, .num_blocks = num_blocks, .enable_prefix_caching = caching, .hash_root = "test"};
}

std::vector<int32_t> tokens_of(int num_tokens) {
  std::vector<int32_t> tokens(num_tokens);
  std::iota(tokens.begin(), tokens.end(), 100);
  return tokens;
}

std::vector<BlockHash> hashes_of(const KvCache& cache, int num_tokens) {
  std::vector<BlockHash> hashes;
  cache.hash(hashes, tokens_of(num_tokens), "");
  return hashes;
}

// A sequence that computed `num_tokens` in one step.
SequencePages computed(KvCache& cache, int num_tokens) {
  SequencePages pages{BlockTables(cache.num_groups()), hashes_of(cache, num_tokens), 0};
  BlockTables new_blocks(cache.num_groups());
  cache.grow(pages, num_tokens, new_blocks);
  EXPECT_EQ(new_blocks, pages.tables);
  cache.commit(pages, num_tokens);
  return pages;
}

void expect_sound(const KvCache& cache, std::vector<const SequencePages*> all) {
  const Status sound = cache.verify(all);
  EXPECT_TRUE(sound) << sound.error().message;
}

TEST(KvCache, RefusesSettingsWithoutABlock) {
  EXPECT_THROW(KvCache(config_of(1), {kFull}), std::invalid_argument);
  EXPECT_THROW(KvCache(config_of(8), {}), std::invalid_argument);
}

TEST(KvCache, HitsAreWholeBlocksWithinTheStatedTokens) {
  KvCache cache(config_of(9), {kFull});
  SequencePages first = computed(cache, 14);
  const auto hashes = hashes_of(cache, 14);
  EXPECT_EQ(cache.find(hashes, 13).num_blocks, 3);
  EXPECT_EQ(cache.find(hashes, 12).num_blocks, 3);
  EXPECT_EQ(cache.find(hashes, 11).num_blocks, 2);  // a prompt of 12 must compute its last token
  EXPECT_EQ(cache.find(hashes, 0).num_blocks, 0);

  SequencePages second{BlockTables(1), hashes, 0};
  cache.adopt(second, cache.find(hashes, 13));
  EXPECT_TRUE(std::ranges::equal(second.tables[0], std::span(first.tables[0]).first(3)));
  EXPECT_EQ(cache.num_free(), 4);  // shared blocks count once
  expect_sound(cache, {&first, &second});
  EXPECT_FALSE(cache.verify(std::vector<const SequencePages*>{&first}));

  cache.release(first);
  EXPECT_EQ(cache.num_free(), 5);
  EXPECT_FALSE(cache.reset());
  cache.release(second);
  expect_sound(cache, {});
  EXPECT_EQ(cache.find(hashes, 13).num_blocks, 3);
  EXPECT_TRUE(cache.reset());
  EXPECT_EQ(cache.find(hashes, 13).num_blocks, 0);
  expect_sound(cache, {});
}

TEST(KvCache, IdleHitsNeedRoomToo) {
  KvCache cache(config_of(5), {kFull});  // 4 usable blocks
  SequencePages first = computed(cache, 8);
  cache.release(first);
  const auto hashes = hashes_of(cache, 16);
  const PrefixHit hit = cache.find(hashes, 15);
  ASSERT_EQ(hit.num_blocks, 2);
  EXPECT_TRUE(cache.fits(hit, 16, 0));
  EXPECT_FALSE(cache.fits(hit, 16, 1));
  EXPECT_FALSE(cache.fits(hit, 17, 0));
}

TEST(KvCache, NothingIsFoundWithCachingOff) {
  KvCache cache(config_of(9, false), {kFull});
  SequencePages pages = computed(cache, 12);
  cache.release(pages);
  EXPECT_TRUE(pages.hashes.empty());
  EXPECT_EQ(cache.find(pages.hashes, 11).num_blocks, 0);
  expect_sound(cache, {});
}

TEST(KvCache, AWindowFreesWhatItHasPassed) {
  KvCache cache(config_of(9), {window_of(6)});
  SequencePages pages = computed(cache, 15);  // the query at 15 sees 10 … 15: blocks 2 and 3
  EXPECT_EQ(pages.tables[0][0], kNullBlock);
  EXPECT_EQ(pages.tables[0][1], kNullBlock);
  EXPECT_NE(pages.tables[0][2], kNullBlock);
  EXPECT_EQ(cache.num_free(), 6);
  expect_sound(cache, {&pages});
  cache.release(pages);
  EXPECT_EQ(cache.num_free(), 8);
}

TEST(KvCache, AWindowHitNeedsOnlyWhatTheNextQuerySees) {
  KvCache cache(config_of(5), {window_of(6)});  // 4 usable blocks
  SequencePages first = computed(cache, 16);
  cache.release(first);
  SequencePages other{BlockTables(1), {}, 0};
  BlockTables new_blocks(1);
  cache.grow(other, 4, new_blocks);  // evicts a block that the window had passed
  const auto hashes = hashes_of(cache, 20);
  const PrefixHit hit = cache.find(hashes, 19);
  ASSERT_EQ(hit.num_blocks, 4);  // the query at 16 sees 11 … 16: blocks 2 and 3
  EXPECT_EQ(hit.tables[0][0], kNullBlock);
  EXPECT_EQ(hit.tables[0][1], kNullBlock);
  EXPECT_NE(hit.tables[0][2], kNullBlock);
  EXPECT_NE(hit.tables[0][3], kNullBlock);
  cache.release(other);
}

TEST(KvCache, GroupsAgreeOnAHit) {
  KvCache cache(config_of(9), {kFull, window_of(6)});  // 8 usable blocks a group
  SequencePages first = computed(cache, 32);           // the window keeps blocks 6 and 7, and frees 5 … 0 in this order
  EXPECT_EQ(cache.num_free(), 0);
  cache.release(first);  // the full group frees 7 … 0; the window's queue is 5 … 0, 7, 6
  SequencePages other{BlockTables(2), {}, 0};
  BlockTables new_blocks(2);
  cache.grow(other, 12, new_blocks);  // evicts 7, 6, 5 of the full group and 5, 4, 3 of the window
  const auto hashes = hashes_of(cache, 36);
  // The full group allows 5 blocks; the window has lost 3 … 5, so it needs an end at 3, which sees 1 and 2.
  const PrefixHit hit = cache.find(hashes, 35);
  ASSERT_EQ(hit.num_blocks, 3);
  EXPECT_EQ(std::ranges::count(hit.tables[0], kNullBlock), 0);
  EXPECT_EQ(hit.tables[1][0], kNullBlock);
  EXPECT_NE(hit.tables[1][1], kNullBlock);
  cache.release(other);
  expect_sound(cache, {});
}

}  // namespace
}  // namespace ingot
