// Streams send what is new, whole replies wait for every choice.
#include "ingot/serve/reply.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "ingot/api/error.h"
#include "ingot/api/response.h"

namespace ingot::serve {

namespace {

api::Choice empty_piece(int32_t index) {
  api::Choice piece;
  piece.index = index;
  return piece;
}

}  // namespace

WholeReply error_reply(const api::ApiError& error) {
  return {.status = error.status, .body = api::error_body(error), .retry_after_s = error.retry_after_s};
}

Reply::Reply(const ServedModel& model, const PreparedCall& call, Metrics& metrics)
    : model_(model),
      metrics_(metrics),
      endpoint_(call.endpoint),
      head_(call.head),
      options_(call.options),
      prompt_echo_(call.prompt_echo),
      chat_echo_(call.endpoint == api::Endpoint::kChat && !call.echoes.empty() ? call.echoes.front() : ""),
      n_(call.sampling.n),
      first_id_(call.requests.front().id),
      cached_(call.prompts.size()),
      num_open_(call.requests.size()) {
  for (const auto& prompt : call.prompts) prompt_sizes_.push_back(static_cast<int32_t>(prompt.size()));
  outputs_.reserve(call.requests.size());
  for (const Request& request : call.requests) {
    const size_t index = outputs_.size();
    api::SamplingFields sampling = call.sampling;
    sampling.params = request.sampling;
    outputs_.push_back({.state = ChoiceState(model.tokenizer, sampling, request.prompt, choice_options(call, index)),
                        .piece = empty_piece(static_cast<int32_t>(index))});
    max_tokens_.push_back(request.sampling.max_tokens);
    if (endpoint_ == api::Endpoint::kCompletions && options_.return_token_ids) {
      outputs_.back().piece.prompt_token_ids = call.prompts[prompt_of(index)];
    }
  }
  if (options_.stream) writer_.emplace(endpoint_, head_, api::ChunkWriter::Options{options_.include_usage});
  metrics_.on_call(n_);
}

ChoiceState::Options Reply::choice_options(const PreparedCall& call, size_t index) const {
  ChoiceState::Options options{
      .wants_token_ids = options_.return_token_ids, .wants_prompt_logprobs = !options_.stream, .echo = {}};
  const bool by_role_chunks = endpoint_ == api::Endpoint::kChat && options_.stream;
  if (!call.echoes.empty() && !by_role_chunks) options.echo = call.echoes[prompt_of(index)];
  return options;
}

void Reply::add(const TokenEvent& event, std::vector<RequestId>& to_abort) {
  const size_t index = static_cast<uint64_t>(event.request) - static_cast<uint64_t>(first_id_);
  Output& output = outputs_[index];
  if (output.state.finished()) return;
  output.state.add(event, output.piece);
  if (!std::exchange(output.touched, true)) touched_.push_back(index);
  cached_[prompt_of(index)] = event.num_cached_tokens;
  observe(index, event);
  if (!output.state.finished()) return;
  if (!event.finish) to_abort.push_back(event.request);
  if (output.state.error()) fail(api::internal_error(output.state.error()->message));
  count(index, output.state.finish(), event.times);
}

void Reply::flush(Progress& progress) {
  if (failure_) {
    began_ ? progress.chunks.push_back(api::error_body(*failure_)) : (void)(progress.whole = error_reply(*failure_));
    progress.ended = true;
  } else if (options_.stream) {
    flush_stream(progress);
  } else if (num_open_ == 0) {
    flush_whole(progress);
  }
}

void Reply::fail(api::ApiError error) {
  if (!failure_) failure_ = std::move(error);
}

void Reply::abandon() {
  if (num_open_ == 0) return;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!outputs_[i].state.finished()) count(i, FinishReason::kAbort, {});
  }
}

void Reply::observe(size_t index, const TokenEvent& event) {
  if (event.tokens.empty()) return;
  TimePoint& last = outputs_[index].last_token;
  if (last == TimePoint{}) {
    metrics_.on_first_token(event.times);
  } else {
    metrics_.on_next_token(seconds_between(last, event.times.last_token));
  }
  last = event.times.last_token;
}

void Reply::count(size_t index, FinishReason reason, const RequestTimes& times) {
  const int32_t num_tokens = outputs_[index].state.num_tokens();
  metrics_.on_finish({.reason = reason,
                      .num_prompt_tokens = prompt_sizes_[prompt_of(index)],
                      .num_cached_tokens = cached_[prompt_of(index)],
                      .num_output_tokens = num_tokens,
                      .max_tokens = max_tokens_[index],
                      .times = times});
  most_tokens_ = std::max(most_tokens_, num_tokens);
  if (--num_open_ == 0) metrics_.on_call_end(most_tokens_);
}

void Reply::flush_stream(Progress& progress) {
  if (!touched_.empty() && !std::exchange(began_, true)) begin_stream(progress);
  for (const size_t index : touched_) {
    Output& output = outputs_[index];
    output.touched = false;
    if (!is_worth_a_chunk(output)) continue;
    const api::Usage running = running_usage(index);
    progress.chunks.push_back(writer_->delta(output.piece, options_.continuous_usage_stats ? &running : nullptr));
    output.piece = empty_piece(output.piece.index);
    output.num_sent = output.state.num_tokens();
  }
  touched_.clear();
  if (num_open_ > 0) return;
  if (options_.include_usage) progress.chunks.push_back(writer_->usage(usage()));
  progress.ended = true;
}

void Reply::begin_stream(Progress& progress) {
  if (endpoint_ != api::Endpoint::kChat) return;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const api::Usage running{.prompt_tokens = prompt_sizes_[prompt_of(i)], .completion_tokens = 0, .cached_tokens = {}};
    progress.chunks.push_back(
        writer_->role(static_cast<int32_t>(i), prompt_echo_, options_.continuous_usage_stats ? &running : nullptr));
  }
  for (size_t i = 0; i < outputs_.size() && !chat_echo_.empty(); ++i) {
    api::Choice echo = empty_piece(static_cast<int32_t>(i));
    echo.text = chat_echo_;
    progress.chunks.push_back(writer_->delta(echo));
  }
}

// Held back text and half characters alone are not told, nor fewer tokens than stream_interval.
bool Reply::is_worth_a_chunk(const Output& output) const {
  const api::Choice& piece = output.piece;
  if (output.num_sent && !piece.finish_reason &&
      output.state.num_tokens() - *output.num_sent < options_.stream_interval) {
    return false;
  }
  return !piece.text.empty() || piece.finish_reason || piece.logprobs || piece.token_ids ||
         options_.continuous_usage_stats;
}

void Reply::flush_whole(Progress& progress) {
  std::vector<api::Choice> choices;
  choices.reserve(outputs_.size());
  for (Output& output : outputs_) choices.push_back(std::move(output.piece));
  progress.whole =
      WholeReply{.status = 200,
                 .body = endpoint_ == api::Endpoint::kChat ? api::chat_body(head_, choices, usage(), prompt_echo_)
                                                           : api::completion_body(head_, choices, usage()),
                 .retry_after_s = {}};
  progress.ended = true;
}

api::Usage Reply::usage() const {
  api::Usage usage;
  for (const int32_t size : prompt_sizes_) usage.prompt_tokens += size;
  for (const Output& output : outputs_) usage.completion_tokens += output.state.num_tokens();
  if (model_.prompt_tokens_details) usage.cached_tokens = std::accumulate(cached_.begin(), cached_.end(), 0);
  return usage;
}

api::Usage Reply::running_usage(size_t index) const {
  api::Usage usage{.prompt_tokens = prompt_sizes_[prompt_of(index)],
                   .completion_tokens = outputs_[index].state.num_tokens(),
                   .cached_tokens = {}};
  if (model_.prompt_tokens_details) usage.cached_tokens = cached_[prompt_of(index)];
  return usage;
}

}  // namespace ingot::serve
