// The KV cache as the scheduler sees it: all groups at once, counted in blocks.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ingot/base/result.h"
#include "ingot/core/engine_config.h"
#include "ingot/core/kv_spec.h"
#include "ingot/kv/page_manager.h"

namespace ingot {

using BlockTables = std::vector<std::vector<BlockId>>;  // by KV group

// What one sequence holds. Made and read by its owner, changed by KvCache.
struct SequencePages {
  BlockTables tables;             // of equal lengths
  std::vector<BlockHash> hashes;  // of the leading full blocks whose tokens are known
  int32_t num_registered = 0;     // leading blocks of the tables that were offered to the prefix cache
};

// Leading blocks that a sequence may take over. Valid until the cache changes.
struct PrefixHit {
  int32_t num_blocks = 0;
  BlockTables tables;
};

// Every group has its own pool of `num_blocks` pages, and a table entry for every block of a sequence, so one number of
// blocks speaks for all groups. Engine thread only, but for hash().
class KvCache {
 public:
  KvCache(const CacheConfig& config, const std::vector<KvGroup>& groups);

  size_t num_groups() const { return groups_.size(); }
  int32_t num_usable() const { return num_usable_; }
  int32_t num_free() const;  // of the fullest group
  double usage() const;      // 0 … 1, of the fullest group
  int32_t blocks_for(int32_t num_tokens) const { return (num_tokens + block_size_ - 1) / block_size_; }
  int32_t block_size() const { return block_size_; }
  bool caching() const { return caching_; }

  // Extends `hashes` to all full blocks of `tokens`; nothing when prefix caching is off. Any thread.
  void hash(std::vector<BlockHash>& hashes, std::span<const int32_t> tokens, std::string_view cache_salt) const;

  // The longest hit common to all groups, of at most `max_tokens` tokens.
  PrefixHit find(std::span<const BlockHash> hashes, int32_t max_tokens) const;

  // Whether a sequence of `num_tokens` fits behind `hit` and leaves `num_spare` blocks free.
  bool fits(const PrefixHit& hit, int32_t num_tokens, int32_t num_spare) const;

  // Gives `pages`, which hold none, the blocks of `hit`.
  void adopt(SequencePages& pages, PrefixHit hit);

  // Appends blocks for `num_tokens` tokens in all to the tables and to `new_blocks`. Precondition: enough are free.
  void grow(SequencePages& pages, int32_t num_tokens, BlockTables& new_blocks);

  // The first `num_computed` tokens are in the pool for good: registers the full blocks among them that `pages.hashes`
  // covers, and frees what a window has passed.
  void commit(SequencePages& pages, int32_t num_computed);

  // Gives back all blocks, last ones first, so that ends of sequences are evicted before their beginnings.
  void release(SequencePages& pages);

  bool reset();  // forgets all cached content; false, and nothing done, while any block is held

  // kInternal unless the pools' sums hold and `all`, every sequence that holds pages, explains each reference.
  Status verify(std::span<const SequencePages* const> all) const;

 private:
  int32_t block_size_;
  int32_t num_usable_;
  bool caching_;
  BlockHasher hasher_;
  std::vector<PageManager> groups_;
};

}  // namespace ingot
