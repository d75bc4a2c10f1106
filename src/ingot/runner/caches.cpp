// Pools chained from step to step, with the evaluated originals kept to fall back on.
#include "ingot/runner/caches.h"

#include "ingot/ops/attention/kv_pool.h"

namespace ingot {
namespace {

// Untouched memory: a slot's tokens are read only where they were recorded.
array make_history(int max_num_seqs, int max_model_len) {
  const size_t bytes = static_cast<size_t>(max_num_seqs) * max_model_len * sizeof(int32_t);
  return array(mx::allocator::malloc(bytes), {max_num_seqs, max_model_len}, mx::int32);
}

}  // namespace

Caches::Caches(const std::vector<KvGroup>& groups, int num_blocks, int block_size, int max_num_seqs, int max_model_len)
    : last_sampled_(mx::zeros({max_num_seqs}, mx::int32)),
      base_last_sampled_(last_sampled_),
      history_(make_history(max_num_seqs, max_model_len)),
      base_history_(history_),
      block_size_(block_size) {
  last_sampled_.eval();
  for (const KvGroup& group : groups) {
    pools_.push_back(make_kv_pool(group, num_blocks, block_size));
    pools_.back().eval();
  }
  base_pools_ = pools_;
}

std::vector<StepKv> Caches::begin(const StepPlan& plan, std::vector<array> block_tables) {
  std::vector<StepKv> kv;
  for (size_t group = 0; group < pools_.size(); ++group) {
    std::vector<int32_t> from, to;
    for (const BlockCopy& copy : plan.copies) {
      if (copy.group != static_cast<int32_t>(group)) continue;
      from.push_back(static_cast<int32_t>(copy.from));
      to.push_back(static_cast<int32_t>(copy.to));
    }
    array pool = pools_[group];
    if (!from.empty()) {
      pool = copy_blocks(pool, from_host(std::span<const int32_t>(from)), from_host(std::span<const int32_t>(to)));
    }
    kv.push_back({std::move(pool), std::move(block_tables[group]), block_size_});
  }
  return kv;
}

void Caches::end(const std::vector<StepKv>& kv, array last_sampled, array history) {
  for (size_t group = 0; group < kv.size(); ++group) pools_[group] = kv[group].pool;
  last_sampled_ = std::move(last_sampled);
  history_ = std::move(history);
}

void Caches::reset() {
  pools_ = base_pools_;
  last_sampled_ = base_last_sampled_;
  history_ = base_history_;
}

}  // namespace ingot
