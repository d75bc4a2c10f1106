// Draws and log probabilities on CPU: checked against their fallbacks, then timed.
//   ops_bench --benchmark_filter=sampling; INGOT_CPU_THREADS and INGOT_CPU_ISA apply.
#include <numeric>
#include <string>

#include <benchmark/benchmark.h>
#include <mlx/random.h>

#include "ingot/ops/sampling/draw_tokens.h"
#include "ingot/ops/sampling/token_logprobs.h"

namespace ingot {
namespace {

struct Mode {
  const char* name;
  float temperature;
  int top_k;
  float top_p, min_p;
};

// Logits with the long tail of a language model's.
array make_logits(int rows, int vocab) {
  array logits = mx::random::normal({rows, vocab}) * array(2.5f);
  logits.eval();
  return logits;
}

SampleParams make_params(const Mode& mode, int rows) {
  std::vector<uint32_t> seed(2 * rows);
  std::iota(seed.begin(), seed.end(), 1u);
  SampleParams params{.temperature = mx::full({rows}, mode.temperature),
                      .top_k = mx::full({rows}, mode.top_k, mx::int32),
                      .top_p = mx::full({rows}, mode.top_p),
                      .min_p = mx::full({rows}, mode.min_p),
                      .seed = mx::reshape(from_host(seed), {rows, 2}),
                      .output_index = mx::zeros({rows}, mx::int32)};
  mx::eval(params.temperature, params.top_k, params.top_p, params.min_p, params.seed, params.output_index);
  return params;
}

void time_draw(benchmark::State& state, const Mode& mode, int rows, int vocab) {
  const array few = make_logits(5, 3001);
  const SampleParams few_params = make_params(mode, 5);
  if (!mx::array_equal(draw_tokens(few, few_params), reference::draw_tokens(few, few_params)).item<bool>())
    return state.SkipWithError("differs from the fallback");
  const array logits = make_logits(rows, vocab);
  const SampleParams params = make_params(mode, rows);
  for (auto _ : state) draw_tokens(logits, params).eval();
}

void time_logprobs(benchmark::State& state, int k, int rows, int vocab) {
  const array logits = make_logits(rows, vocab), tokens = mx::zeros({rows}, mx::int32);
  for (auto _ : state) {
    const TokenLogprobArrays out = token_logprobs(logits, tokens, k);
    mx::eval(out.logprob, out.rank, out.top_ids, out.top_logprobs);
  }
}

template <class... Args>
void add(const std::string& name, Args&&... args) {
  benchmark::RegisterBenchmark(name.c_str(), std::forward<Args>(args)...)
      ->MeasureProcessCPUTime()
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond)
      ->MinTime(0.2);
}

const int registered = [] {
  static constexpr Mode kModes[] = {{"greedy", 0, 0, 1, 0},
                                    {"t=1", 1, 0, 1, 0},
                                    {"t=0.7 k=20 p=0.8", 0.7f, 20, 0.8f, 0},
                                    {"t=1 p=0.9", 1, 0, 0.9f, 0},
                                    {"t=1 min_p=0.05", 1, 0, 1, 0.05f}};
  for (const int vocab : {49152, 151936}) {
    for (const int rows : {1, 32, 256}) {
      const std::string size = " R=" + std::to_string(rows) + " V=" + std::to_string(vocab);
      for (const Mode& mode : kModes)
        add("sampling draw " + std::string(mode.name) + size, time_draw, mode, rows, vocab);
      for (const int k : {0, 20}) add("sampling logprobs k=" + std::to_string(k) + size, time_logprobs, k, rows, vocab);
    }
  }
  return 0;
}();

}  // namespace
}  // namespace ingot
