// Linear on CPU: checked against its fallback, then timed, beside the machine's peaks measured in the same run.
//   linear_bench [--benchmark_filter=…]; INGOT_CPU_THREADS and INGOT_CPU_ISA apply.
// GFLOP/s counts two operations a weight and row; GB/s is packed weights read.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "machine_peak.h"
#include <benchmark/benchmark.h>

#include "ingot/ops/cpu/isa.h"
#include "ingot/ops/linear/linear.h"
#include "ingot/ops/linear/linear_cpu.h"

namespace ingot::cpu {
namespace {

struct Case {
  const char* name;
  WeightFormat format;
  int in_features, out_features;
};

constexpr Case kCases[] = {
    {"q4_1 576x1536", WeightFormat::kQ4_1, 576, 1536},     {"q4_1 576x3072", WeightFormat::kQ4_1, 576, 3072},
    {"q4_1 576x960", WeightFormat::kQ4_1, 576, 960},       {"q4_1 576x576", WeightFormat::kQ4_1, 576, 576},
    {"q4_1 1536x576", WeightFormat::kQ4_1, 1536, 576},     {"q4_0 576x1536", WeightFormat::kQ4_0, 576, 1536},
    {"q8_0 576x1536", WeightFormat::kQ8_0, 576, 1536},     {"q8_0 576x49152", WeightFormat::kQ8_0, 576, 49152},
    {"q4_1 4096x12288", WeightFormat::kQ4_1, 4096, 12288}, {"bf16 576x1536", WeightFormat::kBf16, 576, 1536},
    {"i16 576x1536", WeightFormat::kI16, 576, 1536},       {"i16 576x49152", WeightFormat::kI16, 576, 49152},
    {"f32 576x1536", WeightFormat::kF32, 576, 1536},
};
constexpr int kRows[] = {1, 2, 4, 8, 16, 32, 64, 128, 512};

// Random codes with scales near 2^-7; random floats for dense formats.
std::vector<uint8_t> random_weight(const Case& c) {
  const int blocks = is_quantised(c.format) ? c.in_features / kGroupSize : c.in_features;
  std::vector<uint8_t> bytes(size_t((c.out_features + 15) / 16) * blocks * block_bytes(c.format));
  std::mt19937 rng(1);
  for (uint8_t& byte : bytes) byte = rng();
  if (!is_quantised(c.format)) {
    const int size = block_bytes(c.format) / kPanelRows;
    for (size_t i = size - 1; i < bytes.size(); i += size) bytes[i] = 0x3c;
    return bytes;
  }
  if (c.format == WeightFormat::kI16)
    for (size_t i = 1; i < bytes.size(); i += 2) bytes[i] = static_cast<uint8_t>(static_cast<int8_t>(bytes[i]) >> 3);
  for (size_t at = code_bytes(c.format); at < bytes.size(); at += block_bytes(c.format))
    for (size_t i = at + 1; i < at + block_bytes(c.format) - code_bytes(c.format); i += 2) bytes[i] = 0x20;
  return bytes;
}

std::vector<float> random_rows(size_t count) {
  std::vector<float> x(count);
  std::mt19937 rng(2);
  std::normal_distribution<float> normal;
  for (float& v : x) v = normal(rng);
  return x;
}

// Stops the program when a kernel is further from the fallback than quantised inputs explain.
void check(const Case& c) {
  const int rows = 9;
  const auto bytes = random_weight(c);
  const auto x = random_rows(size_t(rows) * c.in_features);
  std::vector<float> y(size_t(rows) * c.out_features);
  run_linear({c.format, rows, c.in_features, c.out_features}, x.data(), {bytes.data()}, y.data(), ThreadPool::instance(),
             isa());
  const PackedWeight weight{c.format, c.out_features, c.in_features,
                            array(bytes.data(), {int(bytes.size())}, mx::uint8)};
  array expected = linear_reference(array(x.data(), {rows, c.in_features}, mx::float32), weight);
  const auto want = to_host<float>(expected);
  double error = 0, scale = 0;
  for (size_t i = 0; i < y.size(); ++i)
    error = std::max(error, std::abs(double(y[i]) - want[i])), scale += want[i] * want[i];
  const double relative = error / std::sqrt(scale / y.size());
  std::printf("check %-18s largest error / rms %.1e\n", c.name, relative);
  if (relative > 1e-3) std::exit(1);
}

void time_linear(benchmark::State& state, const Case& c, int rows) {
  auto bytes = random_weight(c);
  const size_t weight_bytes = bytes.size();
  // Copies enough to leave the second-level cache, as the layers of a model do.
  const int copies = std::clamp<int>((size_t{96} << 20) / weight_bytes, 1, 32);
  std::vector<std::vector<uint8_t>> weights(copies, bytes);
  const auto x = random_rows(size_t(rows) * c.in_features);
  std::vector<float> y(size_t(rows) * c.out_features);
  int next = 0;
  for (auto _ : state) {
    run_linear({c.format, rows, c.in_features, c.out_features}, x.data(), {weights[next].data()}, y.data(),
               ThreadPool::instance(), isa());
    next = (next + 1) % copies;
  }
  using benchmark::Counter;
  state.counters["GFLOP/s"] = Counter(2e-9 * rows * c.in_features * c.out_features, Counter::kIsIterationInvariantRate);
  state.counters["GB/s"] = Counter(1e-9 * weight_bytes, Counter::kIsIterationInvariantRate);
}

void print_machine() {
  ThreadPool& pool = ThreadPool::instance();
  std::printf(
      "%s, %d threads; peak Gop/s: dot i16 %.0f, dot i8 %.0f, fma f32 %.0f; read GB/s: 1 MiB %.1f, 32 MiB %.1f, 512 "
      "MiB %.1f\n",
      std::string(isa_name(isa())).c_str(), pool.num_threads(), peak_dot_i16(pool) / 1e9, peak_dot_i8(pool) / 1e9,
      peak_fma_f32(pool) / 1e9, read_bandwidth(pool, size_t{1} << 20) / 1e9,
      read_bandwidth(pool, size_t{32} << 20) / 1e9, read_bandwidth(pool, size_t{512} << 20) / 1e9);
}

}  // namespace
}  // namespace ingot::cpu

int main(int argc, char** argv) {
  using namespace ingot::cpu;
  benchmark::Initialize(&argc, argv);
  for (const Case& c : kCases)
    if (c.out_features * c.in_features < (1 << 25)) check(c);
  print_machine();
  for (const Case& c : kCases)
    for (int rows : kRows)
      benchmark::RegisterBenchmark((std::string(c.name) + " M=" + std::to_string(rows)).c_str(), time_linear, c, rows)
          ->UseRealTime()
          ->Unit(benchmark::kMicrosecond)
          ->MinTime(0.1);
  benchmark::RunSpecifiedBenchmarks();
  print_machine();
}
