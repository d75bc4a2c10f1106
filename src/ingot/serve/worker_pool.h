// A few threads for what must not run on an HTTP thread: parsing, rendering, tokenising.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ingot::serve {

class WorkerPool {
 public:
  using Job = std::move_only_function<void()>;  // must not throw

  explicit WorkerPool(int num_threads);
  ~WorkerPool();  // runs what waits, then joins

  void post(Job job);  // any thread; first come first served

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace ingot::serve
