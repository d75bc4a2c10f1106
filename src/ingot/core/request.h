// One sequence as the engine takes it: token ids in, token events out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ingot/base/clock.h"
#include "ingot/core/ids.h"
#include "ingot/core/sampling_params.h"

namespace ingot {

struct Request {
  RequestId id{};
  std::vector<int32_t> prompt;  // 1 … max_model_len − 1 token ids, each below the vocabulary's size
  SamplingParams sampling;
  int64_t priority = 0;    // lower first, under the priority policy
  std::string cache_salt;  // requests share cached prefixes only within one salt
  TimePoint arrival = now();
};

}  // namespace ingot
