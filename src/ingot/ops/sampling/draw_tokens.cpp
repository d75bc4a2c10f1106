// The choice of tokens on CPU: a few streaming passes over each row, and selection among the few that can win.
#include "ingot/ops/sampling/draw_tokens.h"

#include <numeric>

#include "ingot/ops/cpu/cpu_op.h"
#include "ingot/ops/cpu/isa.h"
#include "ingot/ops/cpu/thread_pool.h"
#include "ingot/ops/sampling/nucleus.h"
#include "ingot/ops/sampling/row_index.h"
#include "ingot/ops/sampling/sampling_kernels.h"

namespace ingot {
namespace {

struct RowParams {
  float temperature;
  int top_k;
  float top_p, min_p;
  uint64_t seed;
  int output_index;
};

uint64_t splitmix64(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

class Drawer {
 public:
  int draw(const float* logits, int vocab, const RowParams& params) {
    row_.reset(logits, vocab);
    const int greedy = row_.first_best();
    if (params.temperature <= 0.0f) return greedy;
    const bool listed = params.top_k > 0 && params.top_k < vocab;
    if (listed) {
      gather_top_k(params);
      weigh(e_.data(), int(ids_.size()), params);
    } else {
      weigh(logits, vocab, params);
    }
    if (params.top_p < 1.0f) cut_nucleus(params.top_p);
    const uint64_t key = splitmix64(params.seed + 0x9E3779B97F4A7C15 * (uint64_t(params.output_index) + 1));
    const int n = int(e_.size());
    ids_.resize((ids_.size() + 15) / 16 * 16);  // the kernel reads whole vectors
    const int at = kernels_.draw(e_.data(), listed ? ids_.data() : nullptr, n, uint32_t(key), uint32_t(key >> 32));
    return at < 0 ? greedy : listed ? ids_[at] : at;
  }

 private:
  // e_ and ids_: the logits and ids of the k best and of their equals after the division, ids ascending.
  void gather_top_k(const RowParams& p) {
    const float kth = row_.kth_best(p.top_k) / p.temperature;
    best_.clear();
    row_.gather([&](float x) { return x / p.temperature >= kth; }, best_);
    e_.resize(best_.size());
    ids_.resize(best_.size());
    for (size_t i = 0; i < best_.size(); ++i) e_[i] = best_[i].value, ids_[i] = best_[i].id;
  }

  // e_ = exp(x / temperature − its best), with its chunks' figures and total.
  void weigh(const float* x, int n, const RowParams& p) {
    e_.resize(n);
    maxima_.resize(cpu::num_chunks(n));
    sums_.resize(cpu::num_chunks(n));
    kernels_.exp_row(x, n, {p.temperature, row_.best() / p.temperature, p.min_p}, e_.data(),
                     {maxima_.data(), sums_.data()});
    total_ = std::accumulate(sums_.begin(), sums_.end(), 0.0);
  }

  // All weights at or below (1 − p) / n of the total together are no more than the tail 1 − p, which goes; half of that
  // bound leaves room for rounding.
  void cut_nucleus(double top_p) {
    const double floor = 0.5 * (1.0 - top_p) * total_ / double(e_.size());
    nucleus_.cut(e_, maxima_, float(top_p * total_), float(floor));  // rounded: 0.3 of ten equals are three
  }

  const cpu::SamplingKernels& kernels_ = cpu::kernels<cpu::SamplingKernels>();
  RowIndex row_;
  Nucleus nucleus_;
  std::vector<float> e_, maxima_, sums_;
  std::vector<int32_t> ids_;
  std::vector<Candidate> best_;
  double total_ = 0.0;
};

void check(const array& logits, const SampleParams& params) {
  require(logits, mx::float32, {-1, -1}, "draw_tokens logits");
  const int rows = logits.shape(0);
  require(params.temperature, mx::float32, {rows}, "draw_tokens temperature");
  require(params.top_k, mx::int32, {rows}, "draw_tokens top_k");
  require(params.top_p, mx::float32, {rows}, "draw_tokens top_p");
  require(params.min_p, mx::float32, {rows}, "draw_tokens min_p");
  require(params.seed, mx::uint32, {rows, 2}, "draw_tokens seed");
  require(params.output_index, mx::int32, {rows}, "draw_tokens output_index");
}

void draw_rows(const std::vector<array>& in, std::vector<array>& out) {
  const int vocab = in[0].shape(1);
  const uint32_t* seed = in[5].data<uint32_t>();
  cpu::ThreadPool::instance().parallel_for(in[0].shape(0), [&](int r) {
    thread_local Drawer drawer;
    const RowParams params{.temperature = in[1].data<float>()[r],
                           .top_k = in[2].data<int32_t>()[r],
                           .top_p = in[3].data<float>()[r],
                           .min_p = in[4].data<float>()[r],
                           .seed = seed[2 * r] | uint64_t{seed[2 * r + 1]} << 32,
                           .output_index = in[6].data<int32_t>()[r]};
    out[0].data<int32_t>()[r] = drawer.draw(in[0].data<float>() + size_t(r) * vocab, vocab, params);
  });
}

}  // namespace

array draw_tokens(const array& logits, const SampleParams& params) {
  check(logits, params);
  return cpu::cpu_op(
      "draw_tokens",
      {logits, params.temperature, params.top_k, params.top_p, params.min_p, params.seed, params.output_index},
      {{{logits.shape(0)}, mx::int32}}, draw_rows)[0];
}

}  // namespace ingot
