// Hashes against values made by another SHA-256, and what must tell blocks apart.
#include "ingot/kv/block_hash.h"

#include <gtest/gtest.h>

namespace ingot {
namespace {

std::vector<BlockHash> hashes_of(const std::vector<int32_t>& tokens, std::string_view salt = "",
                                 std::string_view root = "weights", int32_t block_size = 4) {
  std::vector<BlockHash> hashes;
  BlockHasher(root, block_size).extend(hashes, tokens, salt);
  return hashes;
}

TEST(BlockHash, IsTheStatedChainOfSha256) {
  const auto hashes = hashes_of({1, 2, 3, 4, 5, 6, 7, 8, 9}, "tenant");
  ASSERT_EQ(hashes.size(), 2u);
  EXPECT_EQ(hashes[0], (BlockHash{{0x3494e8339db6e886, 0x049fc4edf034fb49, 0x0a3c1a5217db744a, 0xdfd5234d1007aeb1}}));
  EXPECT_EQ(hashes[1], (BlockHash{{0x18fe504a72a96ed8, 0x92db547aa5fe387b, 0x90701af933dcf0ff, 0x253f905494144dd2}}));
  EXPECT_EQ(hashes_of({1, 2, 3, 4})[0],
            (BlockHash{{0x0e8d9f460593005f, 0xa0996b9ef06b2f35, 0x04a1b1b2bd3e2b68, 0x8b13fe1604fa848f}}));
}

TEST(BlockHash, GrowsAsTokensCome) {
  const std::vector<int32_t> tokens{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const BlockHasher hasher("weights", 4);
  std::vector<BlockHash> hashes;
  for (size_t n = 0; n <= tokens.size(); ++n) {
    hasher.extend(hashes, std::span(tokens).first(n), "salt");
    EXPECT_EQ(hashes.size(), n / 4);
  }
  EXPECT_EQ(hashes, hashes_of(tokens, "salt"));
}

TEST(BlockHash, CoversTokensPrefixSaltRootAndBlockSize) {
  const BlockHash base = hashes_of({1, 2, 3, 4, 5, 6, 7, 8})[1];
  EXPECT_NE(hashes_of({1, 2, 3, 4, 5, 6, 7, 9})[1], base);
  EXPECT_NE(hashes_of({0, 2, 3, 4, 5, 6, 7, 8})[1], base);
  EXPECT_NE(hashes_of({1, 2, 3, 4, 5, 6, 7, 8}, "salt")[1], base);
  EXPECT_NE(hashes_of({1, 2, 3, 4, 5, 6, 7, 8}, "", "other")[1], base);
  EXPECT_NE(hashes_of({1, 2, 3, 4, 5, 6, 7, 8}, "", "weights", 8)[0], base);
}

}  // namespace
}  // namespace ingot
