// What replies call logprobs: --logprobs-mode.
#pragma once

namespace ingot {

// Raw: of the model's own logits. Processed: of the logits that the token was chosen from, after bans, biases,
// penalties, temperature and cuts (what those drop is −∞). Prompt tokens are chosen by nobody: theirs are raw.
enum class LogprobsMode { kRawLogprobs, kProcessedLogprobs, kRawLogits, kProcessedLogits };

constexpr bool is_processed(LogprobsMode mode) {
  return mode == LogprobsMode::kProcessedLogprobs || mode == LogprobsMode::kProcessedLogits;
}

constexpr bool is_logits(LogprobsMode mode) {
  return mode == LogprobsMode::kRawLogits || mode == LogprobsMode::kProcessedLogits;
}

}  // namespace ingot
