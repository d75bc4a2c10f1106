// A snapshot of the engine for /metrics and the log line. Counters only grow.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace ingot {

// A histogram of the tokens that steps had.
struct StepTokens {
  static constexpr std::array<int32_t, 13> kBounds = {1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
  std::array<uint64_t, kBounds.size() + 1>
      counts{};  // steps of at most kBounds[i] tokens and more than the bound before
  uint64_t sum = 0;

  void add(int32_t num_tokens) {
    ++counts[std::ranges::lower_bound(kBounds, num_tokens) - kBounds.begin()];
    sum += static_cast<uint64_t>(num_tokens);
  }
};

struct EngineStats {
  // gauges
  int32_t num_running = 0, num_waiting = 0;
  double kv_cache_usage = 0.0;  // 0 … 1, of usable blocks
  // counters
  uint64_t num_steps = 0;
  StepTokens step_tokens;
  uint64_t num_preemptions = 0;
  uint64_t prompt_tokens = 0;         // of admitted requests
  uint64_t prompt_tokens_cached = 0;  // of these, taken from the prefix cache
  uint64_t generation_tokens = 0;
  uint64_t prefix_cache_queries = 0, prefix_cache_hits = 0;  // tokens, counted at admission
  std::array<uint64_t, 5> finished{};                        // by FinishReason
};

}  // namespace ingot
