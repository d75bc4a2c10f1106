// Scheduler: from a StepResult to events, prefix hits and freed blocks.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "ingot/sched/scheduler.h"

namespace ingot {
namespace {

// Whether `output` ends with one pattern of an allowed size, min_count times in a row.
bool repeats(std::span<const int32_t> output, const RepetitionDetection& detection) {
  const auto length = static_cast<int32_t>(output.size());
  for (int32_t size = detection.min_pattern_size; size <= detection.max_pattern_size; ++size) {
    const int64_t span = static_cast<int64_t>(size) * detection.min_count;
    if (span > length) break;
    const auto tail = output.last(static_cast<size_t>(span));
    if (std::equal(tail.begin() + size, tail.end(), tail.begin())) return true;
  }
  return false;
}

}  // namespace

std::vector<TokenEvent> Scheduler::digest(StepResult result) {
  if (in_flight_.empty() || in_flight_.front().number != result.step)
    throw std::logic_error(fmt::format("step {} is not the oldest in flight", result.step));
  const Step step = std::move(in_flight_.front());
  in_flight_.pop_front();
  ++stats_.num_steps;
  const TimePoint read_at = now();
  const std::string error = defect(step, result);
  if (error.empty()) hand_on(std::move(result.prompt_logprobs));
  auto token = result.tokens.begin();
  bool finished = false;
  for (const auto& [sequence, end, samples] : step.rows) {
    --sequence->num_in_flight;
    if (error.empty()) {
      commit(*sequence, end);
      if (samples) accept(*sequence, std::move(*token++), read_at);
    } else if (!sequence->finish) {
      TokenEvent& event = emit(*sequence);
      event.error = Error{ErrorCode::kInternal, error, {}};
      finish(*sequence, FinishReason::kError, event);
    }
    finished |= sequence->finish.has_value();
  }
  if (finished) std::erase_if(running_, [](const Sequence* sequence) { return sequence->finish.has_value(); });
  for (const StepRow& row : step.rows) {
    if (row.sequence->finish && row.sequence->num_in_flight == 0) retire(*row.sequence);
  }
  return take_events();
}

std::vector<TokenEvent> Scheduler::take_events() { return std::exchange(events_, {}); }

// Why the step's result cannot be used; empty if it can.
std::string Scheduler::defect(const Step& step, const StepResult& result) {
  if (!result.error.empty()) return result.error;
  auto token = result.tokens.begin();
  for (const StepRow& row : step.rows) {
    if (!row.samples) continue;
    if (token == result.tokens.end() || token->request != row.sequence->id)
      return fmt::format("step {} brought no token for request {}", step.number,
                         static_cast<uint64_t>(row.sequence->id));
    ++token;
  }
  return token == result.tokens.end() ? "" : fmt::format("step {} brought tokens that nobody asked for", step.number);
}

// The pool now holds the first `end` tokens. Where the tokens of a sequence that was ended from outside are not all
// known, only the known ones can be hit; after a failed step none can.
void Scheduler::commit(Sequence& sequence, int32_t end) {
  if (sequence.finish == FinishReason::kError) return;
  const int32_t num_known = std::min(end, static_cast<int32_t>(sequence.tokens.size()));
  kv_.hash(sequence.pages.hashes, std::span(sequence.tokens).first(num_known), sequence.cache_salt);
  kv_.commit(sequence.pages, num_known);
}

// A token that arrives after its sequence has ended is dropped.
void Scheduler::accept(Sequence& sequence, SampledToken token, TimePoint read_at) {
  if (sequence.finish) return;
  const int32_t id = token.token;
  --sequence.num_placeholders;
  sequence.tokens.push_back(id);
  sequence.times.last_token = read_at;
  if (sequence.times.first_token == TimePoint{}) sequence.times.first_token = read_at;
  ++stats_.generation_tokens;
  TokenEvent& event = emit(sequence);
  event.tokens.push_back(std::move(token));
  const auto num_outputs = static_cast<int32_t>(sequence.tokens.size()) - sequence.num_prompt_tokens;
  const auto among = [id](const std::vector<int32_t>& ids) { return std::ranges::find(ids, id) != ids.end(); };
  if (among(sequence.sampling.eos_token_ids)) {
    finish(sequence, FinishReason::kStop, event);
  } else if (among(sequence.sampling.stop_token_ids)) {
    event.stop_token_id = id;
    finish(sequence, FinishReason::kStop, event);
  } else if (static_cast<int32_t>(sequence.tokens.size()) >= sequence.max_num_tokens) {
    finish(sequence, FinishReason::kLength, event);
  } else if (num_outputs >= sequence.sampling.min_tokens &&
             repeats(std::span(sequence.tokens).last(num_outputs), sequence.sampling.repetition_detection)) {
    finish(sequence, FinishReason::kRepetition, event);
  }
}

void Scheduler::hand_on(std::vector<PromptLogprobs> prompt_logprobs) {
  for (PromptLogprobs& logprobs : prompt_logprobs) {
    const auto found = sequences_.find(logprobs.request);
    if (found != sequences_.end() && !found->second.finish)
      emit(found->second).prompt_logprobs.push_back(std::move(logprobs));
  }
}

void Scheduler::abort(RequestId id) {
  const auto found = sequences_.find(id);
  if (found == sequences_.end() || found->second.finish) return;
  Sequence& sequence = found->second;
  waiting_.erase(sequence);
  std::erase(running_, &sequence);
  finish(sequence, FinishReason::kAbort, emit(sequence));
  if (sequence.num_in_flight == 0) retire(sequence);
}

TokenEvent& Scheduler::emit(Sequence& sequence) {
  TokenEvent& event = events_.emplace_back();
  event.request = sequence.id;
  event.num_cached_tokens = sequence.num_cached_tokens;
  event.times = sequence.times;
  return event;
}

void Scheduler::finish(Sequence& sequence, FinishReason reason, TokenEvent& event) {
  sequence.finish = event.finish = reason;
  ++stats_.finished[static_cast<size_t>(reason)];
}

// No step in flight touches the sequence any more.
void Scheduler::retire(Sequence& sequence) {
  kv_.release(sequence.pages);
  if (sequence.slot) free_slots_.push_back(*sequence.slot);
  sequences_.erase(sequence.id);
}

}  // namespace ingot
