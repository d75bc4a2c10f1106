// A snapshot of the engine for /metrics and the log line. Counters only grow.
#pragma once

#include <array>
#include <cstdint>

namespace ingot {

struct EngineStats {
  // gauges
  int32_t num_running = 0, num_waiting = 0;
  double kv_cache_usage = 0.0;  // 0 … 1, of usable blocks
  // counters
  uint64_t num_steps = 0;
  uint64_t num_preemptions = 0;
  uint64_t prompt_tokens = 0;         // of admitted requests
  uint64_t prompt_tokens_cached = 0;  // of these, taken from the prefix cache
  uint64_t generation_tokens = 0;
  uint64_t prefix_cache_queries = 0, prefix_cache_hits = 0;  // tokens, counted at admission
  std::array<uint64_t, 5> finished{};                        // by FinishReason
};

}  // namespace ingot
