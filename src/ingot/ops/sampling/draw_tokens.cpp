// The choice of tokens on CPU: a few streaming passes over each row, and selection among the few that can win.
#include "ingot/ops/sampling/draw_tokens.h"

#include <numeric>

#include "ingot/ops/cpu/cpu_op.h"
#include "ingot/ops/cpu/isa.h"
#include "ingot/ops/cpu/thread_pool.h"
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

// Leaves the nucleus, best first: a candidate stays while the e before it sum to less than top_p of the total.
void keep_nucleus(std::vector<Candidate>& candidates, double wanted) {
  double before = 0.0;
  size_t sorted = 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (before >= wanted && i > 0) return candidates.resize(i);
    if (i == sorted) {  // sort the next stretch, four times the last: most nuclei are small
      sorted = std::min(candidates.size(), std::max<size_t>(64, 4 * sorted));
      const auto begin = candidates.begin() + i, end = candidates.begin() + sorted;
      if (end != candidates.end()) std::nth_element(begin, end, candidates.end(), better);
      std::sort(begin, end, better);
    }
    before += candidates[i].value;
  }
}

class Drawer {
 public:
  int draw(const float* logits, int vocab, const RowParams& params) {
    row_.reset(logits, vocab);
    const int greedy = row_.first_best();
    if (params.temperature <= 0.0f) return greedy;
    const bool nucleus = params.top_p < 1.0f;
    if (params.top_k > 0 && params.top_k < vocab) {
      gather_top_k(params);
    } else {
      exp_row(logits, vocab, params);
      if (!nucleus) return drawn(kernels_.draw(e_.data(), nullptr, vocab, low(params), high(params)), greedy);
      gather_likely(vocab, params.top_p);
    }
    if (nucleus) keep_nucleus(candidates_, double(params.top_p) * total_);
    split_candidates();
    const int at = kernels_.draw(e_.data(), ids_.data(), int(candidates_.size()), low(params), high(params));
    return at < 0 ? greedy : ids_[at];
  }

 private:
  static int drawn(int token, int otherwise) { return token < 0 ? otherwise : token; }

  static uint64_t key(const RowParams& p) {
    return splitmix64(p.seed + 0x9E3779B97F4A7C15 * (uint64_t(p.output_index) + 1));
  }
  static uint32_t low(const RowParams& p) { return uint32_t(key(p)); }
  static uint32_t high(const RowParams& p) { return uint32_t(key(p) >> 32); }

  // e_ and total_ of n logits.
  void exp_row(const float* x, int n, const RowParams& p) {
    e_.resize(n);
    maxima_.resize(cpu::num_chunks(n));
    sums_.resize(cpu::num_chunks(n));
    kernels_.exp_row(x, n, {p.temperature, row_.best() / p.temperature, p.min_p}, e_.data(),
                     {maxima_.data(), sums_.data()});
    total_ = std::accumulate(sums_.begin(), sums_.end(), 0.0);
  }

  // candidates_: (e, id) of the k best and their equals after the division.
  void gather_top_k(const RowParams& p) {
    const float kth = row_.kth_best(p.top_k) / p.temperature;
    candidates_.clear();
    row_.gather([&](float x) { return x / p.temperature >= kth; }, candidates_);
    split_candidates();
    exp_row(e_.data(), int(candidates_.size()), p);
    for (size_t i = 0; i < candidates_.size(); ++i) candidates_[i].value = e_[i];
  }

  // candidates_: the tokens that the nucleus may keep. All tokens at or below (1 − p) / vocab of the total together are
  // no more than its tail 1 − p, which goes; half of that bound leaves room for rounding.
  void gather_likely(int vocab, float top_p) {
    const double bound = 0.5 * (1.0 - double(top_p)) * total_ / vocab;
    row_.reset(e_.data(), vocab, maxima_);
    candidates_.clear();
    row_.gather([&](float e) { return e > bound; }, candidates_);
  }

  // Values into e_, ids into ids_ (padded for the kernel).
  void split_candidates() {
    e_.resize(candidates_.size());
    ids_.assign((candidates_.size() + 15) / 16 * 16, 0);
    for (size_t i = 0; i < candidates_.size(); ++i) e_[i] = candidates_[i].value, ids_[i] = candidates_[i].id;
  }

  const cpu::SamplingKernels& kernels_ = cpu::kernels<cpu::SamplingKernels>();
  RowIndex row_;
  std::vector<float> e_, maxima_, sums_;
  std::vector<int32_t> ids_;
  std::vector<Candidate> candidates_;
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
