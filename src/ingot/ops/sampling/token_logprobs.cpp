// Log probabilities on CPU: streaming passes, and a sort of the few best.
#include "ingot/ops/sampling/token_logprobs.h"

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "ingot/ops/cpu/cpu_op.h"
#include "ingot/ops/cpu/isa.h"
#include "ingot/ops/cpu/thread_pool.h"
#include "ingot/ops/sampling/row_index.h"
#include "ingot/ops/sampling/sampling_kernels.h"

namespace ingot {
namespace {

class Row {
 public:
  void reset(const float* logits, int vocab) {
    logits_ = logits, vocab_ = vocab;
    index_.reset(logits, vocab);
    e_.resize(vocab);
    maxima_.resize(cpu::num_chunks(vocab));
    sums_.resize(cpu::num_chunks(vocab));
    kernels_.exp_row(logits, vocab, {.top = index_.best()}, e_.data(), {maxima_.data(), sums_.data()});
    log_total_ = index_.best() + std::log(std::accumulate(sums_.begin(), sums_.end(), 0.0));
  }

  float logprob(float logit) const { return float(logit - log_total_); }
  int rank(int token) const { return kernels_.count_at_least(logits_, vocab_, logits_[token]); }

  void top(int k, int32_t* ids, float* logprobs) {
    const float kth = index_.kth_best(k);
    best_.clear();
    index_.gather([kth](float x) { return x >= kth; }, best_);
    std::partial_sort(best_.begin(), best_.begin() + k, best_.end(), better);
    for (int i = 0; i < k; ++i) ids[i] = best_[i].id, logprobs[i] = logprob(best_[i].value);
  }

 private:
  const cpu::SamplingKernels& kernels_ = cpu::kernels<cpu::SamplingKernels>();
  const float* logits_ = nullptr;
  int vocab_ = 0;
  RowIndex index_;
  std::vector<float> e_, maxima_, sums_;
  std::vector<Candidate> best_;
  double log_total_ = 0.0;
};

}  // namespace

TokenLogprobArrays token_logprobs(const array& logits, const array& tokens, int k) {
  require(logits, mx::float32, {-1, -1}, "token_logprobs logits");
  const int rows = logits.shape(0), vocab = logits.shape(1);
  require(tokens, mx::int32, {rows}, "token_logprobs tokens");
  if (k < 0 || k > vocab) throw std::invalid_argument("token_logprobs: k is outside 0 … vocabulary");
  const auto outputs =
      cpu::cpu_op("token_logprobs", {logits, tokens},
                  {{{rows}, mx::float32}, {{rows}, mx::int32}, {{rows, k}, mx::int32}, {{rows, k}, mx::float32}},
                  [=](const std::vector<array>& in, std::vector<array>& out) {
                    cpu::ThreadPool::instance().parallel_for(rows, [&](int r) {
                      thread_local Row row;
                      const float* x = in[0].data<float>() + size_t(r) * vocab;
                      const int token = in[1].data<int32_t>()[r];
                      row.reset(x, vocab);
                      out[0].data<float>()[r] = row.logprob(x[token]);
                      out[1].data<int32_t>()[r] = row.rank(token);
                      if (k > 0)
                        row.top(k, out[2].data<int32_t>() + size_t(r) * k, out[3].data<float>() + size_t(r) * k);
                    });
                  });
  return {.logprob = outputs[0], .rank = outputs[1], .top_ids = outputs[2], .top_logprobs = outputs[3]};
}

}  // namespace ingot
