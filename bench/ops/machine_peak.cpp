// Peaks by timing loops of one instruction.
#include "machine_peak.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>

namespace ingot::cpu {
namespace {

// Makes the compiler believe that the value is used.
template <class T>
void keep(const T& value) {
  asm volatile("" ::"m"(value) : "memory");
}

// The best of several runs of work(), which does `amount` on each thread.
template <class Work>
double best_rate(ThreadPool& pool, double amount, const Work& work) {
  double best = 0;
  for (int run = 0; run < 40; ++run) {
    const auto start = std::chrono::steady_clock::now();
    pool.parallel_for(pool.num_threads(), work);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::max(best, amount * pool.num_threads() / seconds.count());
  }
  return best;
}

#if defined(__x86_64__)
constexpr int kIterations = 100'000, kAccumulators = 16;

// Sixteen accumulators, zmm0 to zmm15, hide the latency.
#define INGOT_STEP(op, i) op " %%zmm17, %%zmm16, %%zmm" #i "\n\t"
#define INGOT_STEPS(op, a, b, c, d) INGOT_STEP(op, a) INGOT_STEP(op, b) INGOT_STEP(op, c) INGOT_STEP(op, d)
#define INGOT_ALL(op) \
  INGOT_STEPS(op, 0, 1, 2, 3) INGOT_STEPS(op, 4, 5, 6, 7) INGOT_STEPS(op, 8, 9, 10, 11) INGOT_STEPS(op, 12, 13, 14, 15)
#define INGOT_PEAK_LOOP(name, op)                                                                                     \
  void name(int) {                                                                                                    \
    asm volatile("vpxord %%zmm16, %%zmm16, %%zmm16\n\t vpxord %%zmm17, %%zmm17, %%zmm17\n\t" INGOT_ALL("vpxord"):::); \
    for (int i = 0; i < kIterations; ++i) asm volatile(INGOT_ALL(op)::: INGOT_CLOBBERED);                             \
    asm volatile("vzeroupper");                                                                                       \
  }
#define INGOT_CLOBBERED                                                                                               \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", \
      "xmm14", "xmm15"

INGOT_PEAK_LOOP(dot_i16, "vpdpwssd")
INGOT_PEAK_LOOP(dot_i8, "vpdpbusd")
INGOT_PEAK_LOOP(fma_f32, "vfmadd231ps")

double peak(ThreadPool& pool, double operations, void (*loop)(int)) {
  const bool runs = __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512dq");
  return runs ? best_rate(pool, operations * kIterations * kAccumulators, loop) : 0;
}
#endif

}  // namespace

#if defined(__x86_64__)
double peak_dot_i16(ThreadPool& pool) { return peak(pool, 64, dot_i16); }
double peak_dot_i8(ThreadPool& pool) { return peak(pool, 128, dot_i8); }
double peak_fma_f32(ThreadPool& pool) { return peak(pool, 32, fma_f32); }
#else
double peak_dot_i16(ThreadPool&) { return 0; }
double peak_dot_i8(ThreadPool&) { return 0; }
double peak_fma_f32(ThreadPool&) { return 0; }
#endif

double read_bandwidth(ThreadPool& pool, size_t bytes) {
  const size_t words = bytes / sizeof(uint64_t), part = words / pool.num_threads();
  const std::unique_ptr<uint64_t[]> buffer(new uint64_t[words]);
  std::memset(buffer.get(), 1, words * sizeof(uint64_t));
  const int rounds = std::max<int>(1, (size_t{32} << 20) / bytes);
  return best_rate(pool, double(part) * sizeof(uint64_t) * rounds, [&](int thread) {
    typedef uint64_t Line __attribute__((vector_size(64), aligned(8)));
    for (int round = 0; round < rounds; ++round) {
      Line sums[4] = {};
      const auto* p = reinterpret_cast<const Line*>(buffer.get() + thread * part);
      asm volatile("" : "+r"(p)::"memory");  // the buffer may have changed: read it again
      for (size_t i = 0; i + 4 <= part / 8; i += 4)
        for (int j = 0; j < 4; ++j) sums[j] ^= p[i + j];
      const Line sum = sums[0] ^ sums[1] ^ sums[2] ^ sums[3];
      keep(sum);
    }
  });
}

}  // namespace ingot::cpu
