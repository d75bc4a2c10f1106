// Threads for the time of a load: packing and hashing are memory-bound plain code, spread over a few cores.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ingot {

class Workers {
 public:
  explicit Workers(int num_threads);  // the calling thread counts as one
  ~Workers();

  // Runs task(i) for each i in [0, n) on all threads and returns when all are done. One caller; tasks must not throw.
  void run(int n, const std::function<void(int)>& task);

 private:
  void work();
  void drain(const std::function<void(int)>& task, int n);

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void(int)>* task_ = nullptr;  // under mutex_, as are the next three
  int num_tasks_ = 0;
  int busy_ = 0;  // workers inside the current run
  uint64_t run_ = 0;
  bool stopping_ = false;
  std::atomic<int> next_{0};
  std::vector<std::jthread> threads_;  // last: the first to go
};

}  // namespace ingot
