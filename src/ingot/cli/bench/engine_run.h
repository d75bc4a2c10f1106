// Requests straight to an engine in this process, without JSON or text.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ingot/base/result.h"
#include "ingot/core/request.h"
#include "ingot/engine/engine.h"

namespace ingot::cli {

// A sampled request of exactly max_tokens tokens: no token ends it.
Request fixed_length_request(std::vector<int32_t> prompt, int32_t max_tokens);

struct EngineRun {
  double seconds = 0;
  int64_t output_tokens = 0;
};

// Submits all requests at once and waits for their ends. `on_end`: on the calling thread, with the number that have
// ended. Errors: the first failure of the engine, or its refusal.
Result<EngineRun> run_requests(Engine& engine, std::vector<Request> requests,
                               const std::function<void(int64_t num_ended)>& on_end);

}  // namespace ingot::cli
