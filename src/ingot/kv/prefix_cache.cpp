// Chained hashing with intrusive links.
#include "ingot/kv/prefix_cache.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace ingot {

PrefixCache::PrefixCache(int32_t num_blocks)
    : heads_(std::bit_ceil(static_cast<size_t>(num_blocks))), entries_(num_blocks) {}

BlockId PrefixCache::find(const BlockHash& hash) const {
  BlockId id = heads_[hash.words[0] & (heads_.size() - 1)];
  while (id != kNullBlock && entries_[index(id)].hash != hash) id = entries_[index(id)].next;
  return id;
}

void PrefixCache::insert(BlockId id, const BlockHash& hash) {
  // Behind the first block of this content, else at the chain's head.
  const BlockId prev = find(hash);
  BlockId& link = prev == kNullBlock ? head(hash) : entries_[index(prev)].next;
  entries_[index(id)] = {hash, prev, link, true};
  if (link != kNullBlock) entries_[index(link)].prev = id;
  link = id;
  ++size_;
}

void PrefixCache::erase(BlockId id) {
  Entry& entry = entries_[index(id)];
  (entry.prev == kNullBlock ? head(entry.hash) : entries_[index(entry.prev)].next) = entry.next;
  if (entry.next != kNullBlock) entries_[index(entry.next)].prev = entry.prev;
  entry.present = false;
  --size_;
}

void PrefixCache::clear() {
  std::ranges::fill(heads_, kNullBlock);
  for (Entry& entry : entries_) entry.present = false;
  size_ = 0;
}

Status PrefixCache::verify() const {
  int32_t seen = 0;
  for (size_t bucket = 0; bucket < heads_.size(); ++bucket) {
    BlockId prev = kNullBlock;
    for (BlockId id = heads_[bucket]; id != kNullBlock; prev = id, id = entries_[index(id)].next) {
      const Entry& entry = entries_[index(id)];
      if (!entry.present || entry.prev != prev || (entry.hash.words[0] & (heads_.size() - 1)) != bucket ||
          ++seen > size_)
        return fail(ErrorCode::kInternal, fmt::format("prefix cache: block {} is in the wrong chain", index(id)));
    }
  }
  const auto present = std::ranges::count(entries_, true, &Entry::present);
  if (seen != size_ || present != size_)
    return fail(ErrorCode::kInternal,
                fmt::format("prefix cache: {} blocks chained, {} present, {} counted", seen, present, size_));
  return {};
}

}  // namespace ingot
