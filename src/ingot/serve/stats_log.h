// The periodic log line of an engine's throughput and load; silent while the engine is idle.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "ingot/core/engine_stats.h"

namespace ingot::serve {

// The line of the time between two snapshots; "" when nothing ran or waits.
std::string stats_line(const EngineStats& before, const EngineStats& after, double seconds);

// Writes the line every `interval` from its own thread, until destroyed.
class StatsLog {
 public:
  StatsLog(std::function<EngineStats()> stats, std::chrono::milliseconds interval);
  ~StatsLog();

 private:
  void run(std::function<EngineStats()> stats, std::chrono::milliseconds interval);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace ingot::serve
