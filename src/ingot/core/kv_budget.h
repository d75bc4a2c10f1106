// What the user said about the KV pool's size.
#pragma once

#include <cstdint>
#include <optional>

namespace ingot {

struct KvBudget {
  std::optional<int64_t> memory_bytes;       // --kv-cache-memory-bytes: wins
  std::optional<double> memory_utilization;  // --gpu-memory-utilization: share of memory for weights and pool
  std::optional<int32_t> num_blocks;         // --num-gpu-blocks-override: at most what the memory holds
};

}  // namespace ingot
