// What waits to run, and the bounds on it.
#pragma once

#include <cstdint>

#include "ingot/base/result.h"
#include "ingot/core/engine_config.h"

namespace ingot {

struct QueueLoad {
  int64_t num_requests = 0, num_tokens = 0;
  int64_t num_bytes = 0;  // of prompts and what is kept beside them

  QueueLoad& operator+=(const QueueLoad& more) {
    num_requests += more.num_requests;
    num_tokens += more.num_tokens;
    num_bytes += more.num_bytes;
    return *this;
  }
};

constexpr int64_t kMaxQueuedBytes = int64_t{256} << 20;

// Whether `more` may wait behind what is waiting; an empty queue takes anything. Error: kResourceExhausted, naming the
// bound.
inline Status check_queue(const SchedulerConfig& limits, const QueueLoad& waiting, const QueueLoad& more) {
  if (waiting.num_tokens == 0) return {};
  QueueLoad all = waiting;
  all += more;
  const char* bound = nullptr;
  if (limits.max_num_queued_reqs > 0 && all.num_requests > limits.max_num_queued_reqs) {
    bound = "--max-num-queued-reqs";
  } else if (limits.max_num_queued_tokens > 0 && all.num_tokens > limits.max_num_queued_tokens) {
    bound = "--max-num-queued-tokens";
  } else if (all.num_bytes > kMaxQueuedBytes) {
    bound = "256 MiB of request data";
  }
  if (bound == nullptr) return {};
  return fail(ErrorCode::kResourceExhausted,
              std::string("too many requests are waiting: ") + bound + " would be exceeded");
}

}  // namespace ingot
