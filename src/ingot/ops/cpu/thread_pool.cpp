// A ticketed pool: the caller works too, and never waits for a worker that has no task.
#include "ingot/ops/cpu/thread_pool.h"

#include <chrono>
#include <cstdlib>
#include <string>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ingot::cpu {
namespace {

constexpr auto kSpin = std::chrono::microseconds(50);
constexpr uint32_t kClosed = 0xffffffff;  // a next task that is past every num_tasks_

void relax() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// True when `ready` became true within kSpin.
template <class Ready>
bool spin_until(Ready ready) {
  const auto deadline = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 64; ++i) {
      if (ready()) return true;
      relax();
    }
  } while (std::chrono::steady_clock::now() < deadline);
  return false;
}

int default_num_threads() {
  if (const char* value = std::getenv("INGOT_CPU_THREADS")) {
    const int n = std::atoi(value);
    if (n >= 1) return n;
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

ThreadPool& ThreadPool::instance() {
  static ThreadPool pool(default_num_threads());
  return pool;
}

ThreadPool::ThreadPool(int num_threads) {
  for (int i = 1; i < num_threads; ++i) workers_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  stopping_ = true;
  ++generation_;
  generation_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(int n, Invoke invoke, void* context) {
  const uint32_t generation = generation_.load(std::memory_order_relaxed) + 1;
  // Close the old ticket first, so that no late worker claims a task of it while the fields change: whoever sees the
  // new num_tasks_ also sees the closed ticket, and fails to advance the old one.
  ticket_.store(uint64_t{generation} << 32 | kClosed, std::memory_order_relaxed);
  num_tasks_.store(n, std::memory_order_release);
  invoke_.store(invoke, std::memory_order_relaxed);
  context_.store(context, std::memory_order_relaxed);
  num_done_.store(0, std::memory_order_relaxed);
  ticket_.store(uint64_t{generation} << 32, std::memory_order_release);
  generation_.store(generation, std::memory_order_seq_cst);
  if (parked_.load(std::memory_order_seq_cst) > 0) generation_.notify_all();
  while (claim_and_run(generation)) {
  }
  while (num_done_.load(std::memory_order_acquire) != n) relax();
}

bool ThreadPool::claim_and_run(uint32_t generation) {
  uint64_t ticket = ticket_.load(std::memory_order_acquire);
  for (;;) {
    if (static_cast<uint32_t>(ticket >> 32) != generation) return false;
    const uint32_t task = static_cast<uint32_t>(ticket);
    if (task >= static_cast<uint32_t>(num_tasks_.load(std::memory_order_acquire))) return false;
    const Invoke invoke = invoke_.load(std::memory_order_relaxed);
    void* const context = context_.load(std::memory_order_relaxed);
    if (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel, std::memory_order_acquire))
      continue;
    invoke(context, static_cast<int>(task));
    num_done_.fetch_add(1, std::memory_order_acq_rel);
    return true;
  }
}

void ThreadPool::work() {
  uint32_t seen = 0;
  while (!stopping_.load(std::memory_order_relaxed)) {
    const auto changed = [&] { return generation_.load(std::memory_order_acquire) != seen; };
    if (!spin_until(changed)) {
      parked_.fetch_add(1, std::memory_order_seq_cst);
      generation_.wait(seen, std::memory_order_seq_cst);
      parked_.fetch_sub(1, std::memory_order_relaxed);
    }
    seen = generation_.load(std::memory_order_acquire);
    while (claim_and_run(seen)) {
    }
  }
}

}  // namespace ingot::cpu
