// Scores by position; texts are made once, at the end.
#include "ingot/serve/prompt_scores.h"

#include "ingot/serve/token_text.h"

namespace ingot::serve {

PromptScores::PromptScores(std::span<const int32_t> prompt)
    : prompt_(prompt.begin(), prompt.end()), scores_(prompt.size()), known_(prompt.size()) {}

void PromptScores::add(std::span<const PromptLogprobs> pieces) {
  for (const PromptLogprobs& piece : pieces) {
    for (size_t i = 0; i < piece.tokens.size(); ++i) {
      const size_t at = static_cast<size_t>(piece.first) + i;
      if (at == 0 || at >= prompt_.size()) continue;
      scores_[at] = piece.tokens[i];
      known_[at] = true;
    }
  }
}

std::vector<api::TokenLogprob> PromptScores::entries(const Tokenizer& tokenizer) const {
  std::vector<api::TokenLogprob> entries;
  entries.reserve(prompt_.size());
  for (size_t i = 0; i < prompt_.size(); ++i) {
    const auto before = std::span(prompt_).first(i);
    entries.push_back(named_logprobs(tokenizer, before, prompt_[i], scores_[i]));
    entries.back().known = known_[i];
  }
  return entries;
}

}  // namespace ingot::serve
