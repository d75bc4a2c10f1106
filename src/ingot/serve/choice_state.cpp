// The order of ends: a stop string beats what the engine says of the same token; a stop token's own text is dropped.
#include "ingot/serve/choice_state.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ingot/serve/token_text.h"

namespace ingot::serve {

namespace {

constexpr size_t kPromptTail = 8;   // ids that decide how the first piece of output joins
constexpr size_t kTextContext = 4;  // ids that token_text() may look back

std::vector<int32_t> tail(std::span<const int32_t> ids) {
  const auto last = ids.last(std::min(ids.size(), kPromptTail));
  return {last.begin(), last.end()};
}

}  // namespace

ChoiceState::ChoiceState(std::shared_ptr<const Tokenizer> tokenizer, const api::SamplingFields& sampling,
                         std::span<const int32_t> prompt, Options options)
    : tokenizer_(tokenizer),
      detokenizer_(std::move(tokenizer), tail(prompt), sampling.skip_special_tokens),
      stops_(sampling.stop, sampling.include_stop_str_in_output),
      options_(std::move(options)),
      keeps_stop_text_(sampling.include_stop_str_in_output),
      wants_logprobs_(sampling.params.num_logprobs.has_value()),
      drops_output_(sampling.prompt_only),
      min_tokens_(sampling.params.min_tokens) {
  if (sampling.params.num_prompt_logprobs) prompt_scores_.emplace(prompt);
}

void ChoiceState::add(const TokenEvent& event, api::Choice& piece) {
  if (finished()) return;
  if (prompt_scores_) prompt_scores_->add(event.prompt_logprobs);
  if (event.tokens.empty() && !event.finish) return;
  if (wants_logprobs_ && !piece.logprobs) piece.logprobs.emplace();
  if (options_.wants_token_ids && !piece.token_ids) piece.token_ids.emplace();
  if (!std::exchange(began_, true)) begin(piece);
  const bool ends_on_token = event.finish == FinishReason::kStop && !keeps_stop_text_;
  for (size_t i = 0; i < event.tokens.size(); ++i) {
    add_token(event.tokens[i], !(ends_on_token && i + 1 == event.tokens.size()), piece);
    if (stops_.match()) return finish_with(FinishReason::kStop, *stops_.match(), piece);
  }
  if (!event.finish) return;
  if (event.finish == FinishReason::kError) {
    error_ = event.error.value_or(Error{ErrorCode::kInternal, "the engine failed", {}});
  }
  if (!drops_output_) add_text(detokenizer_.flush(), piece);
  if (stops_.match()) return finish_with(FinishReason::kStop, *stops_.match(), piece);
  stops_.flush(piece.text);
  api::StopReason stop;
  if (event.stop_token_id) stop = *event.stop_token_id;
  if (event.finish == FinishReason::kRepetition) stop = "repetition_detected";
  finish_with(*event.finish, std::move(stop), piece);
}

// What stands before the output: the echo and the prompt's logprobs, which are complete by the first token.
void ChoiceState::begin(api::Choice& piece) {
  if (options_.echo) piece.text += *options_.echo;
  if (!prompt_scores_) return;
  std::vector<api::TokenLogprob> entries = prompt_scores_->entries(*tokenizer_);
  if (options_.wants_prompt_logprobs) piece.prompt_logprobs = entries;
  if (options_.echo && wants_logprobs_) *piece.logprobs = std::move(entries);
  prompt_scores_.reset();
}

void ChoiceState::add_token(const SampledToken& token, bool with_text, api::Choice& piece) {
  ++num_tokens_;
  if (drops_output_) return;
  if (options_.wants_token_ids) piece.token_ids->push_back(token.token);
  if (wants_logprobs_) add_logprobs(token, piece);
  if (with_text) add_text(detokenizer_.push(token.token), piece);
}

void ChoiceState::add_text(std::string_view text, api::Choice& piece) {
  num_tokens_ > min_tokens_ ? stops_.push(text, piece.text) : stops_.pass(text, piece.text);
}

void ChoiceState::add_logprobs(const SampledToken& token, api::Choice& piece) {
  piece.logprobs->push_back(
      named_logprobs(*tokenizer_, context_, token.token, token.logprobs.value_or(TokenLogprobs{})));
  if (context_.size() == kTextContext) context_.erase(context_.begin());
  context_.push_back(token.token);
}

void ChoiceState::finish_with(FinishReason reason, api::StopReason stop, api::Choice& piece) {
  finish_ = reason;
  piece.finish_reason = reason;
  piece.stop_reason = std::move(stop);
}

}  // namespace ingot::serve
