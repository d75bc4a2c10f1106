// Content hashes of full blocks: what a prefix-cache hit is decided by.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ingot {

// SHA-256. Equal hashes mean equal tokens, equal prefix, equal salt and interchangeable pages.
struct BlockHash {
  std::array<uint64_t, 4> words{};
  bool operator==(const BlockHash&) const = default;
};

// hash(block) = SHA-256(parent's hash, token ids as 32-bit words, salt on the first block); the first block's parent is
// the root = SHA-256(block size, root string). Any thread; deterministic across processes of one byte order.
class BlockHasher {
 public:
  BlockHasher(std::string_view root, int32_t block_size);

  // Appends to `hashes`, which holds the first hashes.size() blocks' hashes, those of the other full blocks of
  // `tokens`.
  void extend(std::vector<BlockHash>& hashes, std::span<const int32_t> tokens, std::string_view cache_salt) const;

 private:
  int32_t block_size_;
  BlockHash root_;
};

}  // namespace ingot
