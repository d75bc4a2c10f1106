// Peaks by timing loops of one instruction.
#include "machine_peak.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>

#if defined(__x86_64__)
#include <immintrin.h>
#define INGOT_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni"), noinline))
#endif

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
constexpr int kIterations = 200'000, kAccumulators = 16;

#define INGOT_DOT_LOOP(name, instruction)                                                                          \
  INGOT_AVX512 void name(int) {                                                                                    \
    __m512i sums[kAccumulators], a = _mm512_set1_epi32(0x01010101), b = _mm512_set1_epi32(3);                      \
    for (auto& sum : sums) sum = _mm512_setzero_si512();                                                           \
    for (int i = 0; i < kIterations; ++i) {                                                                        \
      _Pragma("GCC unroll 16") for (auto& sum : sums) asm volatile(instruction " %2, %1, %0" : "+v"(sum) : "v"(a), \
                                                                   "v"(b));                                        \
    }                                                                                                              \
    keep(sums);                                                                                                    \
  }

INGOT_DOT_LOOP(dot_i16, "vpdpwssd")
INGOT_DOT_LOOP(dot_i8, "vpdpbusd")
INGOT_DOT_LOOP(fma_f32, "vfmadd231ps")

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
