// The choice of tokens on CPU: a few streaming passes over each row, and selection among the few that can win.
#include "ingot/ops/sampling/draw_tokens.h"

#include "ingot/base/splitmix.h"
#include "ingot/ops/cpu/cpu_op.h"
#include "ingot/ops/cpu/isa.h"
#include "ingot/ops/cpu/thread_pool.h"
#include "ingot/ops/sampling/row_weights.h"

namespace ingot {
namespace {

struct Draw {
  Cuts cuts;
  uint64_t seed = 0;
  int output_index = 0;
};

int draw_row(std::span<const float> logits, const Draw& draw) {
  thread_local RowIndex index;
  thread_local RowWeights weights;
  index.reset(logits.data(), static_cast<int>(logits.size()));
  const int greedy = index.first_best();
  if (draw.cuts.temperature <= 0.0f) return greedy;
  weights.reset(index, logits, draw.cuts);
  const uint64_t key = splitmix64(draw.seed, static_cast<uint64_t>(draw.output_index));
  const std::span<const float> e = weights.weights();
  const int at =
      cpu::kernels<cpu::SamplingKernels>().draw(e.data(), weights.ids(), static_cast<int>(e.size()),
                                                static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32));
  return at < 0 ? greedy : weights.id(at);
}

void draw_rows(const std::vector<array>& in, std::vector<array>& out) {
  const size_t vocab = in[0].shape(1);
  const uint32_t* seed = in[5].data<uint32_t>();
  cpu::ThreadPool::instance().parallel_for(in[0].shape(0), [&](int r) {
    const Draw draw{.cuts = {.temperature = in[1].data<float>()[r],
                             .top_k = in[2].data<int32_t>()[r],
                             .top_p = in[3].data<float>()[r],
                             .min_p = in[4].data<float>()[r]},
                    .seed = seed[2 * r] | uint64_t{seed[2 * r + 1]} << 32,
                    .output_index = in[6].data<int32_t>()[r]};
    out[0].data<int32_t>()[r] = draw_row({in[0].data<float>() + r * vocab, vocab}, draw);
  });
}

}  // namespace

void require(const array& logits, const SampleParams& params) {
  require(logits, mx::float32, {-1, -1}, "sampled logits");
  const int rows = logits.shape(0);
  require(params.temperature, mx::float32, {rows}, "temperature");
  require(params.top_k, mx::int32, {rows}, "top_k");
  require(params.top_p, mx::float32, {rows}, "top_p");
  require(params.min_p, mx::float32, {rows}, "min_p");
  require(params.seed, mx::uint32, {rows, 2}, "seed");
  require(params.output_index, mx::int32, {rows}, "output_index");
}

array draw_tokens(const array& logits, const SampleParams& params) {
  require(logits, params);
  return cpu::cpu_op(
      "draw_tokens",
      {logits, params.temperature, params.top_k, params.top_p, params.min_p, params.seed, params.output_index},
      {{{logits.shape(0)}, mx::int32}}, draw_rows)[0];
}

}  // namespace ingot
