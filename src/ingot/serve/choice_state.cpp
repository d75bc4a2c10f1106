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
                         std::span<const int32_t> prompt, bool wants_token_ids)
    : tokenizer_(tokenizer),
      detokenizer_(std::move(tokenizer), tail(prompt), sampling.skip_special_tokens),
      stops_(sampling.stop, sampling.include_stop_str_in_output),
      keeps_stop_text_(sampling.include_stop_str_in_output),
      wants_token_ids_(wants_token_ids),
      wants_logprobs_(sampling.params.num_logprobs.has_value()) {}

void ChoiceState::add(const TokenEvent& event, api::Choice& piece) {
  if (finished()) return;
  if (wants_logprobs_ && !piece.logprobs) piece.logprobs.emplace();
  if (wants_token_ids_ && !piece.token_ids) piece.token_ids.emplace();
  const bool ends_on_token = event.finish == FinishReason::kStop && !keeps_stop_text_;
  for (size_t i = 0; i < event.tokens.size(); ++i) {
    add_token(event.tokens[i], !(ends_on_token && i + 1 == event.tokens.size()), piece);
    if (stops_.match()) return finish_with(FinishReason::kStop, *stops_.match(), piece);
  }
  if (!event.finish) return;
  if (event.finish == FinishReason::kError) {
    error_ = event.error.value_or(Error{ErrorCode::kInternal, "the engine failed", {}});
  }
  stops_.push(detokenizer_.flush(), piece.text);
  if (stops_.match()) return finish_with(FinishReason::kStop, *stops_.match(), piece);
  stops_.flush(piece.text);
  api::StopReason stop;
  if (event.stop_token_id) stop = *event.stop_token_id;
  finish_with(*event.finish, std::move(stop), piece);
}

void ChoiceState::add_token(const SampledToken& token, bool with_text, api::Choice& piece) {
  ++num_tokens_;
  if (wants_token_ids_) piece.token_ids->push_back(token.token);
  if (wants_logprobs_) add_logprobs(token, piece);
  if (with_text) stops_.push(detokenizer_.push(token.token), piece.text);
}

void ChoiceState::add_logprobs(const SampledToken& token, api::Choice& piece) {
  const auto named = [&](int32_t id, float logprob) {
    return api::LogprobToken{.id = id, .text = token_text(*tokenizer_, context_, id), .logprob = logprob};
  };
  const TokenLogprobs logprobs = token.logprobs.value_or(TokenLogprobs{});
  api::TokenLogprob entry{.sampled = named(token.token, logprobs.logprob), .best = {}};
  entry.best.reserve(logprobs.best.size());
  for (const auto& [id, logprob] : logprobs.best) entry.best.push_back(named(id, logprob));
  piece.logprobs->push_back(std::move(entry));
  if (context_.size() == kTextContext) context_.erase(context_.begin());
  context_.push_back(token.token);
}

void ChoiceState::finish_with(FinishReason reason, api::StopReason stop, api::Choice& piece) {
  finish_ = reason;
  piece.finish_reason = reason;
  piece.stop_reason = std::move(stop);
}

}  // namespace ingot::serve
