// Counts events.
#include "ingot/cli/bench/engine_run.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "ingot/serve/request_ids.h"

namespace ingot::cli {
namespace {

// Shared with the engine's sink, which may outlive the wait.
struct Tally {
  std::mutex mutex;
  std::condition_variable changed;
  int64_t num_ended = 0, output_tokens = 0;
  std::optional<Error> error;

  void add(const TokenEvent& event) {
    std::lock_guard lock(mutex);
    output_tokens += static_cast<int64_t>(event.tokens.size());
    if (!event.finish) return;
    ++num_ended;
    if (event.finish == FinishReason::kError && !error)
      error = event.error.value_or(Error{ErrorCode::kInternal, "the engine failed", ""});
    changed.notify_one();
  }
};

}  // namespace

Request fixed_length_request(std::vector<int32_t> prompt, int32_t max_tokens) {
  Request request;
  request.id = serve::take_request_ids(1);
  request.prompt = std::move(prompt);
  request.sampling.max_tokens = max_tokens;
  return request;
}

Result<EngineRun> run_requests(Engine& engine, std::vector<Request> requests,
                               const std::function<void(int64_t num_ended)>& on_end) {
  const auto total = static_cast<int64_t>(requests.size());
  const auto tally = std::make_shared<Tally>();
  const TimePoint start = now();
  const Status taken = engine.submit(std::move(requests), [tally](const TokenEvent& event) { tally->add(event); });
  if (!taken) return std::unexpected(taken.error());
  std::unique_lock lock(tally->mutex);
  for (int64_t seen = 0; seen < total;) {
    tally->changed.wait(lock, [&] { return tally->num_ended > seen; });
    seen = tally->num_ended;
    const double seconds = seconds_between(start, now());
    if (seen == total && !tally->error) return EngineRun{seconds, tally->output_tokens};
    lock.unlock();
    on_end(seen);
    lock.lock();
  }
  return std::unexpected(*tally->error);
}

}  // namespace ingot::cli
