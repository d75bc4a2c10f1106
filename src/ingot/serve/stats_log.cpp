// vLLM's wording, so that tools which read its log read this one.
#include "ingot/serve/stats_log.h"

#include <utility>

#include <fmt/format.h>

#include "ingot/base/clock.h"
#include "ingot/base/log.h"

namespace ingot::serve {

namespace {

double percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::string stats_line(const EngineStats& before, const EngineStats& after, double seconds) {
  const uint64_t prompt_tokens = after.prompt_tokens - before.prompt_tokens;
  const uint64_t generation_tokens = after.generation_tokens - before.generation_tokens;
  if (prompt_tokens + generation_tokens == 0 && after.num_running + after.num_waiting == 0) return "";
  const uint64_t preemptions = after.num_preemptions - before.num_preemptions;
  return fmt::format(
      "Engine 000: Avg prompt throughput: {:.1f} tokens/s, Avg generation throughput: {:.1f} tokens/s, "
      "Running: {} reqs, Waiting: {} reqs, {}GPU KV cache usage: {:.1f}%, Prefix cache hit rate: {:.1f}%",
      static_cast<double>(prompt_tokens) / seconds, static_cast<double>(generation_tokens) / seconds, after.num_running,
      after.num_waiting, preemptions ? fmt::format("Preemptions: {}, ", preemptions) : "", 100.0 * after.kv_cache_usage,
      percent(after.prefix_cache_hits, after.prefix_cache_queries));
}

StatsLog::StatsLog(std::function<EngineStats()> stats, std::chrono::milliseconds interval)
    : thread_([this, stats = std::move(stats), interval] { run(stats, interval); }) {}

StatsLog::~StatsLog() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void StatsLog::run(std::function<EngineStats()> stats, std::chrono::milliseconds interval) {
  EngineStats before = stats();
  TimePoint then = now();
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, interval, [&] { return stopping_; })) {
    const EngineStats after = stats();
    const TimePoint at = now();
    const std::string line = stats_line(before, after, seconds_between(then, at));
    if (!line.empty()) log::info("{}", line);
    before = after;
    then = at;
  }
}

}  // namespace ingot::serve
