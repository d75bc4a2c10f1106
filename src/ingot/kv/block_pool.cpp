// A circular doubly linked free queue through the null block.
#include "ingot/kv/block_pool.h"

#include <fmt/format.h>

namespace ingot {

BlockPool::BlockPool(int32_t num_blocks) : blocks_(num_blocks), prefix_(num_blocks) {
  for (int32_t id = 1; id < num_blocks; ++id) link(BlockId{id}, BlockId{id - 1});
}

BlockId BlockPool::allocate() {
  const BlockId id = blocks_[index(kNullBlock)].next;
  if (prefix_.contains(id)) prefix_.erase(id);
  acquire(id);
  return id;
}

void BlockPool::acquire(BlockId id) {
  if (blocks_[index(id)].num_refs++ == 0) unlink(id);
}

void BlockPool::release(BlockId id) {
  if (--blocks_[index(id)].num_refs > 0) return;
  link(id, prefix_.contains(id) ? blocks_[index(kNullBlock)].prev : kNullBlock);
}

void BlockPool::cache(BlockId id, const BlockHash& hash) { prefix_.insert(id, hash); }

bool BlockPool::reset_cache() {
  if (num_free_ != num_usable()) return false;
  prefix_.clear();
  return true;
}

void BlockPool::link(BlockId id, BlockId prev) {
  const BlockId next = blocks_[index(prev)].next;
  blocks_[index(id)] = {prev, next, 0};
  blocks_[index(prev)].next = id;
  blocks_[index(next)].prev = id;
  ++num_free_;
}

void BlockPool::unlink(BlockId id) {
  const auto [prev, next, num_refs] = blocks_[index(id)];
  blocks_[index(prev)].next = next;
  blocks_[index(next)].prev = prev;
  --num_free_;
}

Status BlockPool::verify(std::span<const int32_t> num_uses) const {
  int32_t num_queued = 0, num_referenced = 0;
  for (BlockId prev = kNullBlock, id = blocks_[0].next; id != kNullBlock; prev = id, id = blocks_[index(id)].next) {
    if (blocks_[index(id)].prev != prev || blocks_[index(id)].num_refs != 0 || ++num_queued > num_usable())
      return fail(ErrorCode::kInternal, fmt::format("free queue: block {} is out of place", index(id)));
  }
  for (size_t id = 1; id < blocks_.size(); ++id) {
    if (blocks_[id].num_refs != num_uses[id])
      return fail(ErrorCode::kInternal,
                  fmt::format("block {}: {} references but {} uses in tables", id, blocks_[id].num_refs, num_uses[id]));
    num_referenced += num_uses[id] > 0;
  }
  if (num_queued != num_free_ || num_free_ + num_referenced != num_usable())
    return fail(ErrorCode::kInternal, fmt::format("{} blocks queued, {} counted free, {} referenced, {} usable",
                                                  num_queued, num_free_, num_referenced, num_usable()));
  if (prefix_.contains(kNullBlock)) return fail(ErrorCode::kInternal, "the null block is in the prefix cache");
  return prefix_.verify();
}

}  // namespace ingot
