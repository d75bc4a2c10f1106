// How many pages the KV pool gets.
#pragma once

#include <cstdint>
#include <vector>

#include "ingot/base/result.h"
#include "ingot/core/engine_config.h"
#include "ingot/core/kv_budget.h"
#include "ingot/core/kv_spec.h"

namespace ingot {

// Pages a group, null block included. By default min(4 GiB, 0.4 × available_bytes) of pages, counted after the weights
// were loaded; with memory_utilization that share of (available + weights) less the weights.
// Errors: kInvalidArgument, naming the flag, when the layout does not fit or one request of max_model_len tokens would
// not.
Result<int32_t> plan_kv_blocks(const KvBudget& budget, const std::vector<KvGroup>& groups, int block_size,
                               int max_model_len, int64_t weight_bytes, int64_t available_bytes);

// Sets MLX's limits: memory above weights, pool and workspace (past it every evaluation would wait), and a bounded
// cache of freed buffers.
void reserve_memory(const std::vector<KvGroup>& groups, const CacheConfig& cache, int64_t weight_bytes);

}  // namespace ingot
