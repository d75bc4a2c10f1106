// Settings of scheduler and cache. Filled by config/ from flags; resolved (no "auto") before the engine starts.
#pragma once

#include <cstdint>
#include <string>

namespace ingot {

enum class SchedulingPolicy { kFcfs, kPriority };

struct SchedulerConfig {
  int32_t max_num_batched_tokens = 2048;     // token budget of a step
  int32_t max_num_seqs = 128;                // running requests, and slots
  int32_t max_model_len = 0;                 // prompt + output tokens of one request
  int32_t long_prefill_token_threshold = 0;  // 0 = off: most tokens of one prompt in a step
  int32_t max_num_queued_reqs = 0;           // 0 = only the memory bound holds
  int64_t max_num_queued_tokens = 0;
  bool enable_chunked_prefill = true;
  bool reserve_full_prompt = true;  // admit only when the whole prompt fits (scheduler_reserve_full_isl)
  double watermark = 0.0;           // share of blocks kept free at admission while others run
  SchedulingPolicy policy = SchedulingPolicy::kFcfs;
  bool verify_each_step = false;  // check the pool's books after every step, not only after failed ones (tests)
};

struct CacheConfig {
  int32_t block_size = 16;  // tokens a page
  int32_t num_blocks = 0;   // pages a group, null block included
  bool enable_prefix_caching = true;
  std::string hash_root;  // weights digest, quantised form, KV type and layout, rope: what makes pages interchangeable
};

}  // namespace ingot
