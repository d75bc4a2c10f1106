// How tokens of one request are chosen and when it ends. Validated by api/, so plain values here.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ingot {

// Ends a request whose output ends with one pattern min_count times in a row.
struct RepetitionDetection {
  int32_t max_pattern_size = 0;  // 0 = off
  int32_t min_pattern_size = 1;
  int32_t min_count = 2;
};

struct SamplingParams {
  float temperature = 1.0f;  // 0 = greedy
  float top_p = 1.0f;        // (0, 1]
  int32_t top_k = 0;         // 0 = off; ties at the k-th logit all stay
  float min_p = 0.0f;        // [0, 1], relative to the best probability after temperature
  uint64_t seed = 0;         // always set: serve/ draws one where the user gave none

  float repetition_penalty = 1.0f;                    // > 0; over prompt and output
  float frequency_penalty = 0.0f;                     // [−2, 2]; over the output
  float presence_penalty = 0.0f;                      // [−2, 2]; over the output
  std::vector<std::pair<int32_t, float>> logit_bias;  // (token id, added to its logit), ids ascending
  std::vector<int32_t> allowed_token_ids;             // empty = all
  std::vector<std::vector<int32_t>> bad_words;        // each barred where the output ends with all but its last token
  RepetitionDetection repetition_detection;

  int32_t min_tokens = 0;               // output tokens before which late_token_ids are not sampled
  int32_t max_tokens = 16;              // ≥ 1 output tokens
  std::vector<int32_t> eos_token_ids;   // end with stop_reason null; empty under ignore_eos
  std::vector<int32_t> stop_token_ids;  // end with stop_reason = the id
  std::vector<int32_t> late_token_ids;  // not sampled before min_tokens: EOS, ignored or not, and stop ids

  // Logprobs of each sampled token: absent = none, 0 = the sampled one only, k = also the k best. −1 = all.
  std::optional<int32_t> num_logprobs;
  std::vector<int32_t> logprob_token_ids;      // not empty: these in place of the best
  std::optional<int32_t> num_prompt_logprobs;  // likewise of each prompt token but the first

  bool penalises() const { return repetition_penalty != 1.0f || frequency_penalty != 0.0f || presence_penalty != 0.0f; }

  // Ids that it holds, for the bound on waiting data.
  size_t num_ids() const {
    size_t n = eos_token_ids.size() + stop_token_ids.size() + late_token_ids.size() + 2 * logit_bias.size() +
               allowed_token_ids.size() + logprob_token_ids.size();
    for (const auto& word : bad_words) n += word.size() + 6;
    return n;
  }

  // Whether the choice of a token looks at the tokens before it.
  bool needs_history() const { return penalises() || !bad_words.empty(); }

  // Whether the token at this place of the output is chosen from other than the raw logits.
  bool adjusts(int32_t output_index) const {
    return needs_history() || !logit_bias.empty() || !allowed_token_ids.empty() || output_index < min_tokens;
  }
};

}  // namespace ingot
