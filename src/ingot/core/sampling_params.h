// How tokens of one request are chosen and when it ends. Validated by api/, so plain values here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ingot {

struct SamplingParams {
  float temperature = 1.0f;  // 0 = greedy
  float top_p = 1.0f;        // (0, 1]
  int32_t top_k = 0;         // 0 = off; ties at the k-th logit all stay
  float min_p = 0.0f;        // [0, 1], relative to the best probability after temperature
  uint64_t seed = 0;         // always set: serve/ draws one where the user gave none

  int32_t max_tokens = 16;              // ≥ 1 output tokens
  std::vector<int32_t> eos_token_ids;   // end with stop_reason null; empty under ignore_eos
  std::vector<int32_t> stop_token_ids;  // end with stop_reason = the id

  // Logprobs of each sampled token: absent = none, 0 = the sampled one only, k = also the k best. −1 = all.
  std::optional<int32_t> num_logprobs;
};

}  // namespace ingot
