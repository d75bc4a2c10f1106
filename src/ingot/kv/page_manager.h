// The pages of one KV group, full or windowed: a full layer is one whose window never ends.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ingot/core/kv_spec.h"
#include "ingot/kv/block_pool.h"

namespace ingot {

// A table's entry i holds positions i · block_size …; kNullBlock stands where no later query looks. Engine thread only.
class PageManager {
 public:
  PageManager(const KvSpec& spec, int32_t num_blocks, int32_t block_size);

  BlockPool& pool() { return pool_; }
  const BlockPool& pool() const { return pool_; }

  // The most leading blocks, at most `max_blocks`, after which a sequence can go on from cached pages alone: for a full
  // group all of them are cached, for a window those that the next query sees.
  int32_t longest_hit(std::span<const BlockHash> hashes, int32_t max_blocks) const;

  // The table of a hit of `hashes.size()` blocks, which longest_hit allowed. Takes no references.
  std::vector<BlockId> hit_table(std::span<const BlockHash> hashes) const;

  // Frees the pages that no query at position `num_computed` or later sees.
  void release_passed(std::vector<BlockId>& table, int32_t num_computed);

 private:
  int32_t first_visible_block(int32_t position) const;

  int32_t window_;  // 0 = all tokens
  int32_t block_size_;
  BlockPool pool_;
};

}  // namespace ingot
