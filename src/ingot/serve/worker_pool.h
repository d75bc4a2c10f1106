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

  // Any thread. First come first served, but of several threads one never takes a job said to be long: however many of
  // those come, the others do not wait for them.
  void post(Job job, bool is_long = false);

 private:
  struct Waiting {
    Job job;
    bool is_long;
  };
  using Jobs = std::deque<Waiting>;

  void run();
  Jobs::iterator next();  // holding the mutex; the first that may run now

  std::mutex mutex_;
  std::condition_variable changed_;
  Jobs jobs_;
  const int max_long_;
  int num_long_ = 0;  // running
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace ingot::serve
