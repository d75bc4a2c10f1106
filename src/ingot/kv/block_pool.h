// The blocks of one KV group: reference counts, the queue of free blocks, and what content they hold.
//
//   allocate()                      cache()                    release() of the last reference
//   free ────────► referenced ────────────► referenced, found ────────────► free, found ──┐
//    ▲ ▲               │ release(): to the head     ▲          to the tail       │        │ allocate() at the head:
//    │ └───────────────┘                            └──────── acquire() ─────────┘        │ evicted
//    └────────────────────────────────────────────────────────────────────────────────────┘
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ingot/base/result.h"
#include "ingot/core/ids.h"
#include "ingot/kv/prefix_cache.h"

namespace ingot {

// Every operation is O(1). Block 0, the null block, is never handed out. Engine thread only.
class BlockPool {
 public:
  explicit BlockPool(int32_t num_blocks);  // null block included, ≥ 2

  int32_t num_usable() const { return static_cast<int32_t>(blocks_.size()) - 1; }
  int32_t num_free() const { return num_free_; }  // cached ones that nobody references included
  bool is_free(BlockId id) const { return blocks_[index(id)].num_refs == 0; }

  BlockId allocate();        // with one reference; the least recently freed content goes. Precondition: num_free() > 0
  void acquire(BlockId id);  // one more reference, for a hit
  void release(BlockId id);  // one fewer; content that may be hit again is freed behind all other blocks
  void cache(BlockId id, const BlockHash& hash);  // the block's content is final; once for each allocation
  BlockId find(const BlockHash& hash) const { return prefix_.find(hash); }
  bool holds(BlockId id, const BlockHash& hash) const { return prefix_.contains(id) && prefix_.hash(id) == hash; }
  bool reset_cache();  // forgets all content; false, and nothing done, while a block is referenced

  // `num_uses` by block: how often the tables of all sequences name it. kInternal when counts, queue or cache disagree.
  Status verify(std::span<const int32_t> num_uses) const;

 private:
  struct Block {
    BlockId prev{}, next{};  // in the free queue, while num_refs = 0
    int32_t num_refs = 0;
  };

  void link(BlockId id, BlockId prev);
  void unlink(BlockId id);

  std::vector<Block> blocks_;  // the null block's links are the queue's tail (prev) and head (next)
  PrefixCache prefix_;
  int32_t num_free_ = 0;
};

}  // namespace ingot
