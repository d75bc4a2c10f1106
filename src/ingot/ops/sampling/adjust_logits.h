// What a request asks of its logits before temperature: allowed ids, barred words, bias, penalties.
//
// Applied to a row in this order (api.md §13 d to g):
//   allowed      ids outside a non-empty list → −∞
//   bad words    the last id of a word → −∞ where the output ends with the word's other ids
//   banned       ids → −∞ (EOS and stop ids until min_tokens)
//                Neither of these two bars the last tokens that are left: then it is lifted for the step.
//   bias         added
//   repetition   for every id in prompt or output: logit > 0 ? logit / r : logit · r
//   frequency    logit −= f · (times that the id is in the output)
//   presence     logit −= p where the id is in the output
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "ingot/tensor/array.h"

namespace ingot {

// A row's wishes; what it points to must live until the step is done.
struct LogitAdjustment {
  float repetition = 1.0f, frequency = 0.0f, presence = 0.0f;
  std::span<const int32_t> allowed{};  // empty = all
  std::span<const std::vector<int32_t>> bad_words{};
  std::span<const int32_t> banned{};
  std::span<const std::pair<int32_t, float>> bias{};
  int32_t num_prompt_tokens = 0;  // where the output begins in the history
};

struct LogitAdjustments {
  std::vector<LogitAdjustment> rows;        // one a row of logits
  std::shared_ptr<const void> keeps_alive;  // what the spans point to
};

// logits float32[R, V] → the same, adjusted. history int32[slots, length]: each slot's tokens by position; slots
// int32[R]: the rows'; num_tokens int32[R]: tokens known of each row, the input of this step included.
array adjust_logits(const array& logits, std::shared_ptr<const LogitAdjustments> adjustments, const array& history,
                    const array& slots, const array& num_tokens);

// history[slots[t], positions[t]] = ids[t], in place: use the result from here on. All int32[T].
array record_tokens(const array& history, const array& slots, const array& positions, const array& ids);

namespace reference {
array adjust_logits(const array& logits, std::shared_ptr<const LogitAdjustments> adjustments, const array& history,
                    const array& slots, const array& num_tokens);
}  // namespace reference

}  // namespace ingot
