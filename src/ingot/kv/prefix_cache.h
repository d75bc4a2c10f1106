// Which block holds which content: a hash table whose links live in an array indexed by block, so it never allocates.
#pragma once

#include <cstdint>
#include <vector>

#include "ingot/base/result.h"
#include "ingot/core/ids.h"
#include "ingot/kv/block_hash.h"

namespace ingot {

// Blocks of equal content are kept side by side; the first registered one is found. Engine thread only.
class PrefixCache {
 public:
  explicit PrefixCache(int32_t num_blocks);

  BlockId find(const BlockHash& hash) const;       // kNullBlock when no block holds it
  void insert(BlockId id, const BlockHash& hash);  // precondition: !contains(id)
  void erase(BlockId id);                          // precondition: contains(id)
  void clear();

  bool contains(BlockId id) const { return entries_[index(id)].present; }
  const BlockHash& hash(BlockId id) const { return entries_[index(id)].hash; }  // precondition: contains(id)
  int32_t size() const { return size_; }

  // kInternal unless every present block lies in its hash's chain exactly once and no chain holds anything else.
  Status verify() const;

 private:
  struct Entry {
    BlockHash hash;
    BlockId prev{}, next{};  // within the chain; the null block ends it
    bool present = false;
  };

  BlockId& head(const BlockHash& hash) { return heads_[hash.words[0] & (heads_.size() - 1)]; }

  std::vector<BlockId> heads_;  // first block of each chain; the size is a power of two
  std::vector<Entry> entries_;  // by block
  int32_t size_ = 0;
};

}  // namespace ingot
