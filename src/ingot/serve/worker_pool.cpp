// One queue, one condition variable. Who ends a long job looks for the next one itself.
#include "ingot/serve/worker_pool.h"

#include <algorithm>
#include <utility>

namespace ingot::serve {

WorkerPool::WorkerPool(int num_threads) : max_long_(std::max(num_threads - 1, 1)) {
  for (int i = 0; i < num_threads; ++i) threads_.emplace_back([this] { run(); });
}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::post(Job job, bool is_long) {
  {
    std::lock_guard lock(mutex_);
    jobs_.push_back({std::move(job), is_long});
  }
  changed_.notify_one();
}

WorkerPool::Jobs::iterator WorkerPool::next() {
  return std::ranges::find_if(jobs_, [&](const Waiting& w) { return !w.is_long || num_long_ < max_long_; });
}

void WorkerPool::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return next() != jobs_.end() || (stopping_ && jobs_.empty()); });
    const auto found = next();
    if (found == jobs_.end()) return;
    Waiting taken = std::move(*found);
    jobs_.erase(found);
    num_long_ += taken.is_long;
    if (stopping_ && jobs_.empty()) changed_.notify_all();  // those that held back for a long job
    lock.unlock();
    taken.job();
    taken.job = nullptr;  // what it holds is freed here, not under the lock
    lock.lock();
    num_long_ -= taken.is_long;
  }
}

}  // namespace ingot::serve
