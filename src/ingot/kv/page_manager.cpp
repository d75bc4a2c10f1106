// Which pages a query still sees decides hits and early frees alike.
#include "ingot/kv/page_manager.h"

#include <algorithm>

namespace ingot {

PageManager::PageManager(const KvSpec& spec, int32_t num_blocks, int32_t block_size)
    : window_(spec.kind == KvKind::kWindow ? spec.window : 0), block_size_(block_size), pool_(num_blocks) {}

// A query at position p sees p − window + 1 … p.
int32_t PageManager::first_visible_block(int32_t position) const {
  return window_ == 0 ? 0 : std::max(0, position - window_ + 1) / block_size_;
}

int32_t PageManager::longest_hit(std::span<const BlockHash> hashes, int32_t max_blocks) const {
  const auto cached = [&](int32_t i) { return pool_.find(hashes[i]) != kNullBlock; };
  if (window_ == 0) {
    int32_t hit = 0;
    while (hit < max_blocks && cached(hit)) ++hit;
    return hit;
  }
  // From the right: a missing block rules out every end from which it is visible, so each block is looked up once.
  int32_t hit = max_blocks;
  for (int32_t i = hit - 1; i >= first_visible_block(hit * block_size_); --i) {
    if (!cached(i)) hit = i;
  }
  return hit;
}

std::vector<BlockId> PageManager::hit_table(std::span<const BlockHash> hashes) const {
  std::vector<BlockId> table(hashes.size(), kNullBlock);
  for (size_t i = first_visible_block(static_cast<int32_t>(hashes.size()) * block_size_); i < hashes.size(); ++i)
    table[i] = pool_.find(hashes[i]);
  return table;
}

void PageManager::release_passed(std::vector<BlockId>& table, int32_t num_computed) {
  for (int32_t i = first_visible_block(num_computed) - 1; i >= 0 && table[i] != kNullBlock; --i) {
    pool_.release(table[i]);
    table[i] = kNullBlock;
  }
}

}  // namespace ingot
