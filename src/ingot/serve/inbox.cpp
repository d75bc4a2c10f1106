// A vector under a mutex, taken from the front; swapped out whole in the usual case.
#include "ingot/serve/inbox.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ingot::serve {

namespace {

size_t size_in_bytes(const TokenEvent& event) {
  size_t bytes = sizeof(event) + event.tokens.size() * sizeof(SampledToken);
  const auto add = [&](const TokenLogprobs& logprobs) { bytes += logprobs.best.size() * sizeof(logprobs.best[0]); };
  for (const SampledToken& token : event.tokens) {
    if (token.logprobs) add(*token.logprobs);
  }
  for (const PromptLogprobs& prompt : event.prompt_logprobs) {
    bytes += sizeof(prompt) + prompt.tokens.size() * sizeof(TokenLogprobs);
    for (const TokenLogprobs& logprobs : prompt.tokens) add(logprobs);
  }
  return bytes;
}

}  // namespace

Inbox::Push Inbox::push(TokenEvent&& event) {
  const size_t bytes = size_in_bytes(event);
  std::vector<TokenEvent> dropped;  // freed after the lock
  std::lock_guard lock(mutex_);
  if (closed_) return Push::kClosed;
  if (bytes_ + bytes > max_bytes_) {
    closed_ = overflowed_ = true;
    dropped.swap(events_);
    begin_ = bytes_ = 0;
    return Push::kOverflow;
  }
  bytes_ += bytes;
  const bool first = begin_ == events_.size();
  events_.push_back(std::move(event));
  return first ? Push::kFirst : Push::kMore;
}

bool Inbox::take(std::vector<TokenEvent>& events, size_t limit) {
  std::lock_guard lock(mutex_);
  if (begin_ == 0 && events_.size() <= limit && events.empty()) {
    events.swap(events_);
    bytes_ = 0;
    return false;
  }
  const size_t end = std::min(events_.size(), begin_ + limit);
  for (; begin_ < end; ++begin_) {
    bytes_ -= size_in_bytes(events_[begin_]);
    events.push_back(std::move(events_[begin_]));
  }
  if (begin_ < events_.size()) return true;
  events_.clear();
  begin_ = bytes_ = 0;
  return false;
}

bool Inbox::overflowed() const {
  std::lock_guard lock(mutex_);
  return overflowed_;
}

void Inbox::close() {
  std::vector<TokenEvent> dropped;
  std::lock_guard lock(mutex_);
  closed_ = true;
  dropped.swap(events_);
  begin_ = bytes_ = 0;
}

}  // namespace ingot::serve
