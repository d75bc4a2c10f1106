// Each run is announced under the mutex; tasks are claimed from one counter.
#include "ingot/weights/workers.h"

namespace ingot {

Workers::Workers(int num_threads) {
  for (int i = 1; i < num_threads; ++i) threads_.emplace_back([this] { work(); });
}

Workers::~Workers() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
}

void Workers::drain(const std::function<void(int)>& task, int n) {
  for (int i = next_.fetch_add(1); i < n; i = next_.fetch_add(1)) task(i);
}

void Workers::run(int n, const std::function<void(int)>& task) {
  {
    const std::lock_guard lock(mutex_);
    task_ = &task;
    num_tasks_ = n;
    next_ = 0;
    ++run_;
  }
  if (n > 1) changed_.notify_all();
  drain(task, n);
  std::unique_lock lock(mutex_);
  task_ = nullptr;  // who wakes now finds nothing to do
  changed_.wait(lock, [&] { return busy_ == 0; });
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  for (uint64_t seen = 0;;) {
    changed_.wait(lock, [&] { return stopping_ || (task_ && run_ != seen); });
    if (stopping_) return;
    seen = run_;
    const auto* const task = task_;
    const int n = num_tasks_;
    ++busy_;
    lock.unlock();
    drain(*task, n);
    lock.lock();
    if (--busy_ == 0) changed_.notify_all();
  }
}

}  // namespace ingot
