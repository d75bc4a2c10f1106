// Memory → pages.
#include "ingot/runner/kv_budget.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <mlx/memory.h>

#include "ingot/ops/attention/kv_pool.h"

namespace ingot {
namespace {

constexpr int64_t kDefaultPoolBytes = int64_t{4} << 30;
constexpr double kDefaultPoolShare = 0.4;
constexpr double kMiB = 1 << 20;
constexpr int64_t kWorkspaceBytes = int64_t{8} << 30;     // far above a step's activations; a limit, not a reservation
constexpr int64_t kBufferCacheBytes = int64_t{64} << 20;  // freed activations kept for the next step

int64_t bytes_of_block(const std::vector<KvGroup>& groups, int block_size) {
  int64_t bytes = 0;
  for (const KvGroup& group : groups) bytes += static_cast<int64_t>(kv_block_bytes(group, block_size));
  return bytes;
}

int64_t pool_bytes(const KvBudget& budget, int64_t weight_bytes, int64_t available_bytes) {
  if (budget.memory_bytes) return *budget.memory_bytes;
  if (budget.memory_utilization) {
    return static_cast<int64_t>(*budget.memory_utilization * static_cast<double>(available_bytes + weight_bytes)) -
           weight_bytes;
  }
  return std::min(kDefaultPoolBytes, static_cast<int64_t>(kDefaultPoolShare * static_cast<double>(available_bytes)));
}

}  // namespace

Result<int32_t> plan_kv_blocks(const KvBudget& budget, const std::vector<KvGroup>& groups, int block_size,
                               int max_model_len, int64_t weight_bytes, int64_t available_bytes) {
  const int64_t block_bytes = bytes_of_block(groups, block_size);
  const int64_t bytes = std::max<int64_t>(0, pool_bytes(budget, weight_bytes, available_bytes));
  if (budget.memory_bytes && bytes > available_bytes) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("--kv-cache-memory-bytes asks for {:.0f} MiB, {:.0f} MiB are available", bytes / kMiB,
                            available_bytes / kMiB));
  }
  int64_t num_blocks = std::min<int64_t>(bytes / block_bytes, std::numeric_limits<int32_t>::max());
  if (budget.num_blocks) {
    if (*budget.num_blocks > num_blocks) {
      return fail(
          ErrorCode::kInvalidArgument,
          fmt::format(
              "--num-gpu-blocks-override {} exceeds the {} blocks that {:.0f} MiB hold; raise --kv-cache-memory-bytes",
              *budget.num_blocks, num_blocks, bytes / kMiB));
    }
    num_blocks = *budget.num_blocks;
  }
  const int64_t blocks_wanted = (max_model_len + block_size - 1) / block_size + 1;  // and the null block
  if (num_blocks < blocks_wanted) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("the KV cache holds {} blocks of {} tokens, too few for one "
                                                         "request of {} tokens ({} blocks, {:.0f} MiB): lower "
                                                         "--max-model-len or raise --kv-cache-memory-bytes",
                                                         num_blocks, block_size, max_model_len, blocks_wanted,
                                                         static_cast<double>(blocks_wanted * block_bytes) / kMiB));
  }
  return static_cast<int32_t>(num_blocks);
}

void reserve_memory(const std::vector<KvGroup>& groups, const CacheConfig& cache, int64_t weight_bytes) {
  const int64_t pool = cache.num_blocks * bytes_of_block(groups, cache.block_size);
  mx::set_memory_limit(static_cast<size_t>(weight_bytes + pool + kWorkspaceBytes));
  mx::set_cache_limit(static_cast<size_t>(kBufferCacheBytes));
}

}  // namespace ingot
