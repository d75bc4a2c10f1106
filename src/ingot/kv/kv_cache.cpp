// Keeps the groups in step with each other.
#include "ingot/kv/kv_cache.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ingot {

KvCache::KvCache(const CacheConfig& config, const std::vector<KvGroup>& groups)
    : block_size_(config.block_size),
      num_usable_(config.num_blocks - 1),
      caching_(config.enable_prefix_caching),
      hasher_(config.hash_root, config.block_size) {
  if (config.block_size < 1 || config.num_blocks < 2 || groups.empty())
    throw std::invalid_argument("a KV cache needs a group, a block size of at least 1 and at least 2 blocks");
  for (const KvGroup& group : groups) groups_.emplace_back(group.spec, config.num_blocks, config.block_size);
}

int32_t KvCache::num_free() const {
  int32_t least = num_usable_;
  for (const PageManager& group : groups_) least = std::min(least, group.pool().num_free());
  return least;
}

double KvCache::usage() const { return 1.0 - static_cast<double>(num_free()) / num_usable_; }

void KvCache::hash(std::vector<BlockHash>& hashes, std::span<const int32_t> tokens, std::string_view cache_salt) const {
  if (caching_) hasher_.extend(hashes, tokens, cache_salt);
}

PrefixHit KvCache::find(std::span<const BlockHash> hashes, int32_t max_tokens) const {
  PrefixHit hit{std::min(static_cast<int32_t>(hashes.size()), max_tokens / block_size_), {}};
  // A group may shorten what the ones before it agreed to; go round until all agree.
  for (int32_t agreed = -1; agreed != hit.num_blocks && (agreed < 0 || groups_.size() > 1);) {
    agreed = hit.num_blocks;
    for (const PageManager& group : groups_) hit.num_blocks = group.longest_hit(hashes, hit.num_blocks);
  }
  for (const PageManager& group : groups_) hit.tables.push_back(group.hit_table(hashes.first(hit.num_blocks)));
  return hit;
}

bool KvCache::fits(const PrefixHit& hit, int32_t num_tokens, int32_t num_spare) const {
  const int32_t num_new = blocks_for(num_tokens) - hit.num_blocks;
  for (size_t g = 0; g < groups_.size(); ++g) {
    const BlockPool& pool = groups_[g].pool();
    // Hits that nobody references are in the free queue, and would leave it too.
    const auto num_idle =
        std::ranges::count_if(hit.tables[g], [&](BlockId id) { return id != kNullBlock && pool.is_free(id); });
    if (num_new + num_idle + num_spare > pool.num_free()) return false;
  }
  return true;
}

void KvCache::adopt(SequencePages& pages, PrefixHit hit) {
  for (size_t g = 0; g < groups_.size(); ++g) {
    for (const BlockId id : hit.tables[g])
      if (id != kNullBlock) groups_[g].pool().acquire(id);
  }
  pages.tables = std::move(hit.tables);
  pages.num_registered = hit.num_blocks;
}

void KvCache::grow(SequencePages& pages, int32_t num_tokens, BlockTables& new_blocks) {
  const auto num_blocks = static_cast<size_t>(blocks_for(num_tokens));
  for (size_t g = 0; g < groups_.size(); ++g) {
    std::vector<BlockId>& table = pages.tables[g];
    while (table.size() < num_blocks) {
      table.push_back(groups_[g].pool().allocate());
      new_blocks[g].push_back(table.back());
    }
  }
}

void KvCache::commit(SequencePages& pages, int32_t num_computed) {
  const int32_t num_full = std::min(num_computed / block_size_, static_cast<int32_t>(pages.hashes.size()));
  for (; pages.num_registered < num_full; ++pages.num_registered) {
    const int32_t i = pages.num_registered;
    for (size_t g = 0; g < groups_.size(); ++g) groups_[g].pool().cache(pages.tables[g][i], pages.hashes[i]);
  }
  for (size_t g = 0; g < groups_.size(); ++g) groups_[g].release_passed(pages.tables[g], num_computed);
}

void KvCache::release(SequencePages& pages) {
  for (size_t g = 0; g < groups_.size(); ++g) {
    for (auto id = pages.tables[g].rbegin(); id != pages.tables[g].rend(); ++id)
      if (*id != kNullBlock) groups_[g].pool().release(*id);
    pages.tables[g].clear();
  }
  pages.num_registered = 0;
}

bool KvCache::reset() {
  if (num_free() != num_usable_) return false;
  for (PageManager& group : groups_) group.pool().reset_cache();
  return true;
}

Status KvCache::verify(std::span<const SequencePages* const> all) const {
  std::vector<int32_t> num_uses;
  for (size_t g = 0; g < groups_.size(); ++g) {
    num_uses.assign(num_usable_ + 1, 0);
    for (const SequencePages* pages : all) {
      const std::vector<BlockId>& table = pages->tables[g];
      for (const BlockId id : table) ++num_uses[index(id)];
      if (table.size() != pages->tables[0].size() || pages->num_registered > static_cast<int32_t>(table.size()))
        return fail(ErrorCode::kInternal, "block tables of one sequence differ in length");
      for (int32_t i = 0; i < pages->num_registered; ++i) {
        if (table[i] != kNullBlock && !groups_[g].pool().holds(table[i], pages->hashes[i]))
          return fail(ErrorCode::kInternal, "a registered block does not hold its table's content");
      }
    }
    if (Status sound = groups_[g].pool().verify(num_uses); !sound) return sound;
  }
  return {};
}

}  // namespace ingot
