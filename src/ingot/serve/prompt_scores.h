// The logprobs of one prompt's tokens, as they come in over events.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ingot/api/reply.h"
#include "ingot/core/step_result.h"
#include "ingot/text/tokenizer.h"

namespace ingot::serve {

// One thread at a time.
class PromptScores {
 public:
  explicit PromptScores(std::span<const int32_t> prompt);

  // Positions may come again (a preempted prompt is read anew); the last ones count.
  void add(std::span<const PromptLogprobs> pieces);

  // One entry a prompt token, with the texts that go with the ids. Positions that never came are not `known`; the first
  // one never is.
  std::vector<api::TokenLogprob> entries(const Tokenizer& tokenizer) const;

 private:
  std::vector<int32_t> prompt_;
  std::vector<TokenLogprobs> scores_;  // by position
  std::vector<bool> known_;
};

}  // namespace ingot::serve
