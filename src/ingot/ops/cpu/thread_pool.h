// The workers that CPU kernels share. They spin briefly between the operations of a step and park between steps.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

namespace ingot::cpu {

class ThreadPool {
 public:
  // The process's pool: INGOT_CPU_THREADS threads, by default one a core.
  static ThreadPool& instance();

  explicit ThreadPool(int num_threads);  // the calling thread counts as one
  ~ThreadPool();

  int num_threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Runs task(i) for each i in [0, n), on this thread and the workers, and returns when all are done. Tasks are handed
  // out in ascending order, one at a time. One caller at a time (MLX's stream thread); tasks must not throw nor nest.
  template <class Task>
  void parallel_for(int n, Task&& task) {
    if (n <= 0) return;
    if (n == 1 || workers_.empty()) {
      for (int i = 0; i < n; ++i) task(i);
      return;
    }
    run(
        n, [](void* context, int i) { (*static_cast<std::remove_reference_t<Task>*>(context))(i); },
        const_cast<void*>(static_cast<const void*>(&task)));
  }

 private:
  using Invoke = void (*)(void*, int);

  // `ticket_` is (generation << 32 | next task): a task is claimed by advancing it, so a worker that wakes late finds
  // the generation over and costs nobody anything.
  void run(int n, Invoke invoke, void* context);
  bool claim_and_run(uint32_t generation);
  void work();

  std::atomic<uint64_t> ticket_{0};
  std::atomic<int> num_tasks_{0}, num_done_{0};
  std::atomic<Invoke> invoke_{nullptr};
  std::atomic<void*> context_{nullptr};
  std::atomic<uint32_t> generation_{0};  // what workers wait on
  std::atomic<int> parked_{0};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> workers_;
};

}  // namespace ingot::cpu
