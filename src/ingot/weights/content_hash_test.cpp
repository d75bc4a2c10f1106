// Every bit and the length count.
#include "ingot/weights/content_hash.h"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace ingot {
namespace {

TEST(ContentHash, ChangesWithEachBitAndLength) {
  for (const size_t size : {0, 1, 63, 64, 65, 200}) {
    std::vector<std::byte> bytes(size, std::byte{0});
    std::set<ContentHash> seen{content_hash(bytes)};
    for (size_t bit = 0; bit < 8 * size; ++bit) {
      bytes[bit / 8] ^= std::byte(1u << bit % 8);
      EXPECT_TRUE(seen.insert(content_hash(bytes)).second) << size << " bytes, bit " << bit;
      bytes[bit / 8] ^= std::byte(1u << bit % 8);
    }
    bytes.push_back(std::byte{0});
    EXPECT_TRUE(seen.insert(content_hash(bytes)).second) << "a zero after " << size;
  }
}

TEST(ContentHash, OrderOfLinesCounts) {
  std::vector<std::byte> bytes(256);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::byte(i * 37 >> 3);
  const ContentHash hash = content_hash(bytes);
  EXPECT_EQ(content_hash(bytes), hash);
  std::swap_ranges(bytes.begin(), bytes.begin() + 64, bytes.begin() + 128);
  EXPECT_NE(content_hash(bytes), hash);
}

}  // namespace
}  // namespace ingot
