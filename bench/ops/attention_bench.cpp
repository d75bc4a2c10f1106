// Paged attention on CPU: one layer, checked against its fallback, then timed.
//   ops_bench --benchmark_filter=attention; INGOT_CPU_THREADS and INGOT_CPU_ISA apply.
// GFLOP/s counts two operations a multiply-add over the tokens in sight; GB/s is keys and values read once a KV head.
#include <cmath>
#include <numeric>
#include <vector>

#include <benchmark/benchmark.h>
#include <mlx/random.h>

#include "ingot/ops/attention/kv_pool.h"
#include "ingot/ops/attention/paged_attention.h"
#include "ingot/ops/attention/paged_attention_reference.h"
#include "ingot/ops/rope/rope.h"

namespace ingot {
namespace {

constexpr int kBlock = 16;

struct Model {
  const char* name;
  int heads, kv_heads, dim;
};

struct Batch {
  int rows, num_tokens, context;
};

struct Inputs {
  array qkv, pool;
  AttentionMeta meta;
  AttentionShape shape;
};

Inputs make_inputs(const Model& model, const Batch& batch) {
  const int blocks = (batch.context + kBlock - 1) / kBlock, tokens = batch.rows * batch.num_tokens;
  std::vector<int32_t> query_start(batch.rows + 1), context_len(batch.rows, batch.context), table(batch.rows * blocks);
  std::vector<int32_t> positions(tokens);
  for (int r = 0; r <= batch.rows; ++r) query_start[r] = r * batch.num_tokens;
  for (int t = 0; t < tokens; ++t) positions[t] = batch.context - batch.num_tokens + t % batch.num_tokens;
  std::iota(table.begin(), table.end(), 1);
  const KvGroup group{{KvKind::kFull, model.kv_heads, model.dim, 0}, {0}};
  array pool = make_kv_pool(group, 1 + batch.rows * blocks, kBlock);
  auto* bits = reinterpret_cast<uint16_t*>(pool.data<mx::bfloat16_t>());
  for (size_t i = 0; i < pool.size(); ++i) bits[i] = 0x3c00 + (uint32_t(i) * 2654435761u >> 25) + (i % 2 << 15);
  Inputs in{.qkv = mx::random::normal({tokens, (model.heads + 2 * model.kv_heads) * model.dim}),
            .pool = pool,
            .meta = {.query_start = from_host(query_start),
                     .context_len = from_host(context_len),
                     .block_table = mx::reshape(from_host(table), {batch.rows, blocks}),
                     .rope = rope_table(from_host(positions), from_host(default_inv_freq(1e4f, model.dim))),
                     .block_size = kBlock},
            .shape = {.num_heads = model.heads,
                      .num_kv_heads = model.kv_heads,
                      .head_dim = model.dim,
                      .scale = 1 / std::sqrt(float(model.dim)),
                      .window = 0}};
  mx::eval(in.qkv, in.meta.query_start, in.meta.context_len, in.meta.block_table, in.meta.rope);
  return in;
}

bool equals_fallback(const Model& model) {
  const Inputs in = make_inputs(model, {2, 5, 150});
  const array expected = reference::paged_attention(in.qkv, in.pool, 0, in.meta, in.shape).out;
  mx::eval(expected);
  const array out = paged_attention(in.qkv, in.pool, 0, in.meta, in.shape).out;
  return mx::max(mx::abs(out - expected)).item<float>() < 0.02f;
}

void time_attention(benchmark::State& state, const Model& model, const Batch& batch) {
  if (!equals_fallback(model)) return state.SkipWithError("differs from the fallback");
  const Inputs in = make_inputs(model, batch);
  array pool = in.pool;
  for (auto _ : state) {
    const Attended attended = paged_attention(in.qkv, pool, 0, in.meta, in.shape);
    mx::eval(attended.out, attended.pool);
    pool = attended.pool;
  }
  const double seen = batch.num_tokens * (batch.context - (batch.num_tokens - 1) / 2.0);
  using benchmark::Counter;
  state.counters["GFLOP/s"] =
      Counter(4e-9 * model.heads * model.dim * batch.rows * seen, Counter::kIsIterationInvariantRate);
  state.counters["GB/s"] =
      Counter(4e-9 * model.kv_heads * model.dim * batch.rows * batch.context, Counter::kIsIterationInvariantRate);
}

const int registered = [] {
  static constexpr Model kModels[] = {{"9/3x64", 9, 3, 64}, {"32/8x64", 32, 8, 64}, {"16/8x128", 16, 8, 128}};
  static constexpr Batch kBatches[] = {{1, 512, 512}, {1, 2048, 2048}, {1, 6000, 6000}, {1, 512, 6000}, {1, 1, 128},
                                       {1, 1, 1024},  {1, 1, 8192},    {32, 1, 128},    {32, 1, 1024},  {32, 1, 4096}};
  for (const Model& model : kModels) {
    for (const Batch& batch : kBatches) {
      const std::string name = std::string("attention ") + model.name + " rows=" + std::to_string(batch.rows) +
                               " tokens=" + std::to_string(batch.num_tokens) +
                               " context=" + std::to_string(batch.context);
      benchmark::RegisterBenchmark(name.c_str(), time_attention, model, batch)
          ->MeasureProcessCPUTime()
          ->UseRealTime()
          ->Unit(benchmark::kMicrosecond)
          ->MinTime(0.2);
    }
  }
  return 0;
}();

}  // namespace
}  // namespace ingot
