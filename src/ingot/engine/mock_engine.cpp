// The mock's thread: commands in, one token a running request a step, events out.
#include "ingot/engine/mock_engine.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ingot {

struct MockEngine::Sequence {
  Request request;
  std::shared_ptr<const EventSink> sink;
  RequestTimes times;
  int32_t num_output = 0;
  bool aborted = false, finished = false;
};

namespace {

TokenLogprobs made_up_logprobs(int32_t token, int32_t count, int32_t vocab_size) {
  TokenLogprobs logprobs{.logprob = -0.5f, .rank = 1, .best = {}};
  if (count < 0) count = vocab_size;
  for (int32_t i = 0; i < std::min(count, vocab_size); ++i) {
    logprobs.best.emplace_back((token + i) % vocab_size, -0.5f - static_cast<float>(i));
  }
  return logprobs;
}

bool contains(const std::vector<int32_t>& ids, int32_t id) { return std::ranges::find(ids, id) != ids.end(); }

}  // namespace

int32_t echo_prompt(const Request& request, int32_t index) {
  const auto size = static_cast<int32_t>(request.prompt.size());
  if (index < size || request.sampling.eos_token_ids.empty()) return request.prompt[index % size];
  return request.sampling.eos_token_ids.front();
}

MockEngine::MockEngine(MockOptions options) : options_(std::move(options)), ready_(options_.ready) {
  thread_ = std::thread([this] { run(); });
}

MockEngine::~MockEngine() { stop(std::chrono::milliseconds(0)); }

Status MockEngine::submit(std::vector<Request> requests, EventSink sink) {
  const auto shared_sink = std::make_shared<const EventSink>(std::move(sink));
  std::lock_guard lock(mutex_);
  if (!alive_ || death_) return fail(ErrorCode::kUnavailable, "the engine is dead");
  if (stop_at_) return fail(ErrorCode::kUnavailable, "the engine is stopping");
  const auto bound = static_cast<size_t>(options_.max_num_queued_reqs);
  if (bound > 0 && num_open_ + requests.size() > bound + static_cast<size_t>(options_.max_num_seqs)) {
    return fail(ErrorCode::kResourceExhausted, "too many requests are waiting");
  }
  for (Request& request : requests) {
    auto sequence = std::make_unique<Sequence>();
    sequence->times.arrival = request.arrival;
    sequence->request = std::move(request);
    sequence->sink = shared_sink;
    arrivals_.push_back(std::move(sequence));
    ++num_open_;
  }
  changed_.notify_one();
  return {};
}

void MockEngine::abort(RequestId id) {
  std::lock_guard lock(mutex_);
  aborts_.push_back(id);
  changed_.notify_one();
}

EngineStats MockEngine::stats() const {
  std::lock_guard lock(mutex_);
  return stats_;
}

void MockEngine::stop(std::chrono::milliseconds drain) {
  {
    std::lock_guard lock(mutex_);
    if (!stop_at_) stop_at_ = now() + drain;
    changed_.notify_one();
  }
  std::call_once(joined_, [this] { thread_.join(); });
}

void MockEngine::hold(bool held) {
  std::lock_guard lock(mutex_);
  held_ = held;
  changed_.notify_one();
}

void MockEngine::fail_step(std::string reason) {
  std::lock_guard lock(mutex_);
  failure_ = std::move(reason);
}

void MockEngine::die(std::string reason) {
  std::lock_guard lock(mutex_);
  death_ = std::move(reason);
  changed_.notify_one();
}

MockEngine::Turn MockEngine::next_turn(Sequences& open) {
  std::unique_lock lock(mutex_);
  const auto ends = [&] { return death_ || (stop_at_ && (num_open_ == 0 || now() >= *stop_at_)); };
  while (!ends() && aborts_.empty() && (held_ || num_open_ == 0)) {
    stop_at_ ? (void)changed_.wait_until(lock, *stop_at_) : changed_.wait(lock);
  }
  std::ranges::move(arrivals_, std::back_inserter(open));
  arrivals_.clear();
  for (const auto& sequence : open)
    sequence->aborted = std::ranges::find(aborts_, sequence->request.id) != aborts_.end();
  aborts_.clear();
  if (ends()) return {.goes_on = false, .steps = false, .failure = death_};
  if (held_) return {.goes_on = true, .steps = false, .failure = {}};
  return {.goes_on = true, .steps = true, .failure = std::exchange(failure_, std::nullopt)};
}

void MockEngine::run() {
  Sequences open;
  Turn turn;
  while ((turn = next_turn(open)).goes_on) {
    for (const auto& sequence : open) {
      if (sequence->aborted) end(*sequence, FinishReason::kAbort);
    }
    remove_finished(open);
    if (!turn.steps) continue;
    step(open, turn.failure);
    remove_finished(open);
    if (options_.step_time.count() > 0) std::this_thread::sleep_for(options_.step_time);
  }
  for (const auto& sequence : open) {
    if (turn.failure) {
      end(*sequence, FinishReason::kError, Error{ErrorCode::kUnavailable, *turn.failure, {}});
    } else {
      end(*sequence, FinishReason::kAbort);
    }
  }
  remove_finished(open);
  alive_ = false;
}

void MockEngine::step(Sequences& open, const std::optional<std::string>& failure) {
  const size_t num_running = std::min(open.size(), static_cast<size_t>(options_.max_num_seqs));
  for (size_t i = 0; i < num_running; ++i) {
    Sequence& sequence = *open[i];
    if (failure) {
      end(sequence, FinishReason::kError, Error{ErrorCode::kInternal, *failure, {}});
      continue;
    }
    const SamplingParams& sampling = sequence.request.sampling;
    if (sequence.num_output == 0) sequence.times.first_scheduled = now();
    const int32_t token = options_.script(sequence.request, sequence.num_output);
    TokenEvent event;
    event.tokens.push_back({.request = sequence.request.id, .token = token, .logprobs = {}});
    if (sampling.num_logprobs) {
      event.tokens.back().logprobs = made_up_logprobs(token, *sampling.num_logprobs, options_.vocab_size);
    }
    ++sequence.num_output;
    sequence.times.last_token = now();
    if (sequence.num_output == 1) sequence.times.first_token = sequence.times.last_token;
    if (contains(sampling.eos_token_ids, token)) {
      event.finish = FinishReason::kStop;
    } else if (contains(sampling.stop_token_ids, token)) {
      event.finish = FinishReason::kStop;
      event.stop_token_id = token;
    } else if (sequence.num_output >= sampling.max_tokens) {
      event.finish = FinishReason::kLength;
    }
    deliver(sequence, std::move(event));
  }
  std::lock_guard lock(mutex_);
  ++stats_.num_steps;
  stats_.step_tokens.add(static_cast<int32_t>(num_running));
}

void MockEngine::end(Sequence& sequence, FinishReason reason, std::optional<Error> error) {
  TokenEvent event;
  event.finish = reason;
  event.error = std::move(error);
  deliver(sequence, std::move(event));
}

void MockEngine::deliver(Sequence& sequence, TokenEvent event) {
  {
    std::lock_guard lock(mutex_);
    stats_.generation_tokens += event.tokens.size();
    if (sequence.num_output == 1 && !event.tokens.empty()) stats_.prompt_tokens += sequence.request.prompt.size();
    if (event.finish) ++stats_.finished[static_cast<size_t>(*event.finish)];
  }
  sequence.finished = event.finish.has_value();
  event.request = sequence.request.id;
  event.times = sequence.times;
  (*sequence.sink)(std::move(event));
}

void MockEngine::remove_finished(Sequences& open) {
  std::erase_if(open, [](const auto& sequence) { return sequence->finished; });
  std::lock_guard lock(mutex_);
  num_open_ = open.size() + arrivals_.size();
  const size_t num_running = std::min(open.size(), static_cast<size_t>(options_.max_num_seqs));
  stats_.num_running = static_cast<int32_t>(num_running);
  stats_.num_waiting = static_cast<int32_t>(num_open_ - num_running);
  stats_.kv_cache_usage = static_cast<double>(num_running) / options_.max_num_seqs;
}

}  // namespace ingot
