// One request inside the scheduler.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ingot/core/request.h"
#include "ingot/core/token_event.h"
#include "ingot/kv/kv_cache.h"

namespace ingot {

// The order of service, lowest first. Under fcfs the priority is 0 and `order` counts additions, else `order` is the
// time of arrival.
struct QueueKey {
  int64_t priority = 0;
  int64_t order = 0;
  RequestId id{};
  auto operator<=>(const QueueKey&) const = default;
};

//   waiting ──admit──► running ──finish──► finished, until the last step in flight that holds it is digested
//      ▲                  │
//      └─────preempt──────┘
// The counts run ahead of what was read: a planned row counts as computed at once, and a token that it samples is a
// placeholder until its result is digested.
struct Sequence {
  RequestId id{};
  QueueKey key;
  SamplingParams sampling;
  std::string cache_salt;
  std::vector<int32_t> tokens;  // prompt and read output
  int32_t num_prompt_tokens = 0;
  int32_t max_num_tokens = 0;  // prompt and output together never get longer
  int32_t num_placeholders = 0;
  int32_t num_computed_tokens = 0;
  int32_t num_in_flight = 0;  // planned steps with a row of it that were not digested
  SequencePages pages;
  std::optional<SlotId> slot;     // held while running, and while steps in flight hold it
  bool admitted = false;          // once or more often
  int32_t num_cached_tokens = 0;  // at first admission
  std::optional<FinishReason> finish;
  RequestTimes times;

  int32_t num_tokens() const { return static_cast<int32_t>(tokens.size()) + num_placeholders; }

  // What the request costs while it waits.
  int64_t num_bytes() const {
    const size_t ids = tokens.size() + sampling.num_ids();
    return static_cast<int64_t>(sizeof(Sequence) + ids * sizeof(int32_t) + pages.hashes.size() * sizeof(BlockHash) +
                                cache_salt.size());
  }
};

}  // namespace ingot
